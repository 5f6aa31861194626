import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { folder, owner, web } from "./support.js";

/** A project elsewhere that has installed the package as npm packs it. @param {import("node:test").TestContext} t */
function project(t) {
  const at = folder(t);
  const npm = (...args) => execFileSync("npm", [...args, "--no-audit", "--no-fund", "--loglevel=error"], { cwd: at, encoding: "utf8" });
  const [{ filename, files }] = JSON.parse(npm("pack", web, "--json", "--pack-destination", at));
  writeFileSync(path.join(at, "package.json"), JSON.stringify({ name: "a-project", private: true, type: "module" }));
  npm("install", "--offline", path.join(at, filename));
  return { at, files: files.map((file) => file.path) };
}

test("the package as npm packs it, in a project elsewhere", (t) => {
  const { at, files } = project(t);
  assert(files.includes("dist/obverse.wasm") && files.includes("dist/worker.js") && files.includes("dist/mmrpc.d.ts"));
  assert.deepEqual(
    files.filter((file) => !/^(dist\/[^.]|openrpc\.json|package\.json|README\.md)/.test(file)),
    [],
    "nothing that nobody needs",
  );

  writeFileSync(
    path.join(at, "program.js"),
    `import { init } from "obverse";
     import { connect } from "obverse/http";
     import { mm2_main_status } from "obverse/upstream";
     const node = await init({ config: { passphrase: ${JSON.stringify(owner.passphrase)} } });
     const { public_key } = await node.rpc("get_public_key");
     console.log(public_key, await node.daemon("getblockcount"), typeof connect, mm2_main_status());
     await node.stop();`,
  );
  assert.equal(execFileSync(process.execPath, ["program.js"], { cwd: at, encoding: "utf8" }), `${owner.publicKey} 1 function 0\n`);

  const { methods } = JSON.parse(readFileSync(path.join(at, "node_modules/obverse/openrpc.json"), "utf8"));
  assert(methods.length > 10);
  mkdirSync(path.join(at, "src"));
  writeFileSync(
    path.join(at, "src/program.ts"),
    `import { init, connect, NodeError, RpcError, DaemonError, type Handle, type Client, type Methods } from "obverse";
     async function every(node: Handle | Client) {
       ${methods.map(({ name }) => `const m${name.replace(/\W/g, "_")}: Methods["${name}"]["result"] = await node.rpc("${name}", {} as Methods["${name}"]["params"]);`).join("\n")}
       return [${methods.map(({ name }) => `m${name.replace(/\W/g, "_")}`).join()}];
     }
     const node = await init({ config: {}, storage: "memory", worker: false });
     const key: string = (await node.rpc("get_public_key")).public_key;
     const { balance } = await node.rpc("my_balance", { coin: "ATOM" });
     const height = await node.daemon<number>("getblockcount");
     node.subscribe("*", ({ _type, message }) => console.log(_type, message));
     const bytes: Uint8Array = await node.export();
     try { await every(connect({ url: "http://127.0.0.1:7783" })); }
     catch (error) { if (error instanceof RpcError) console.log(error.kind, error.status); else if (error instanceof DaemonError) console.log(error.code); else if (error instanceof NodeError) console.log(error.data); }
     // @ts-expect-error there is no such method
     await node.rpc("get_public_kex");
     // @ts-expect-error there is no such parameter
     await node.rpc("my_balance", { coyn: "ATOM" });
     // @ts-expect-error the parameter is required
     await node.rpc("my_balance");
     // @ts-expect-error it is a text
     const wrong: number = balance;
     // @ts-expect-error there is no such storage
     await init({ config: {}, storage: "disk" });
     console.log(key, height, bytes, wrong);`,
  );
  const tsc = path.join(web, "node_modules/typescript/bin/tsc");
  for (const module of [["--module", "nodenext"], ["--module", "esnext", "--moduleResolution", "bundler"]]) {
    execFileSync(process.execPath, [tsc, "--strict", "--noEmit", "--target", "es2022", "--lib", "es2023,dom", ...module, "src/program.ts"], { cwd: at, stdio: ["ignore", "inherit", "inherit"] });
  }
});
