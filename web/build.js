/**
 * Builds dist/ from src/: bundles for each entry, declarations, and the glue code of the Go
 * toolchain. `make page` runs this script and builds dist/obverse.wasm.
 */

import { execFileSync } from "node:child_process";
import { copyFileSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { made } from "./made.js";

const here = path.dirname(fileURLToPath(import.meta.url));

/** The files in dist/ that this build has written. @type {Set<string>} */
const outputs = new Set();

/** @type {(platform: "browser" | "node", names: string[], splitting: boolean) => Promise<void>} */
const bundle = async (platform, names, splitting) => {
  const { metafile } = await build({
    entryPoints: names.map((name) => path.join(here, "src", `${name}.js`)),
    outdir: path.join(here, "dist"),
    chunkNames: `${platform}-[hash]`,
    bundle: true,
    splitting,
    format: "esm",
    platform,
    target: "es2022",
    plugins: [made],
    logLevel: "warning",
    metafile: true,
    absWorkingDir: here,
  });
  Object.keys(metafile.outputs).forEach((file) => outputs.add(path.basename(file)));
};

await bundle("browser", ["index", "local", "http", "upstream-browser"], true);
await bundle("browser", ["dapp"], false); // a single file, for pages that use nothing else of this package
await bundle("browser", ["light"], false);
await bundle("browser", ["kdflib"], false);
await bundle("browser", ["worker"], false); // a single file, so that starting the worker takes one request
await bundle("node", ["index-node", "upstream-node"], true);
await bundle("node", ["worker-node"], false);
// The names of parts contain a hash. Remove those of other builds, which would be packed too.
for (const name of readdirSync(path.join(here, "dist"))) {
  if (name.endsWith(".js") && !outputs.has(name)) {
    rmSync(path.join(here, "dist", name));
  }
}
rmSync(path.join(here, "dist/types"), { recursive: true, force: true });
execFileSync(process.execPath, [path.join(here, "node_modules/typescript/bin/tsc"), "--noEmit", "false", "--declaration", "--emitDeclarationOnly", "--outDir", "dist/types"], { cwd: here, stdio: "inherit" });
for (const methods of ["mmrpc.d.ts", "daemon.d.ts"]) {
  copyFileSync(path.join(here, methods), path.join(here, "dist", methods));
}
