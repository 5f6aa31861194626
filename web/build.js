/**
 * Makes dist/ of src/: bundles for each entry, declarations, and the glue of the Go
 * toolchain. dist/obverse.wasm is made by `make page`, which runs this.
 */

import { execFileSync } from "node:child_process";
import { copyFileSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = path.dirname(fileURLToPath(import.meta.url));
const { GO = "go", VERSION = "devel", BUILT = "" } = process.env;

/**
 * wasm_exec.js is a script that finds all it needs in globalThis and leaves Go there. As
 * a function with a parameter of that name it takes and leaves it in an object of ours.
 */
function glue() {
  const root = execFileSync(GO, ["env", "GOROOT"], { encoding: "utf8" }).trim();
  const script = readFileSync(path.join(root, "lib/wasm/wasm_exec.js"), "utf8");
  return `export default function (globalThis) {\n${script}\nreturn globalThis.Go;\n}\n`;
}

/** Modules that are not in src/. @type {import("esbuild").Plugin} */
const made = {
  name: "made",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\/(wasm_exec|version)\.js$/ }, ({ path: file }) => ({ path: path.basename(file), namespace: "made" }));
    onLoad({ filter: /.*/, namespace: "made" }, ({ path: file }) => ({
      contents: file === "version.js" ? `export const version = ${JSON.stringify(VERSION)};\nexport const built = ${JSON.stringify(BUILT)};\n` : glue(),
      loader: "js",
    }));
  },
};

/** @type {(platform: "browser" | "node", names: string[], splitting: boolean) => Promise<unknown>} */
const bundle = (platform, names, splitting) =>
  build({
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
  });

await bundle("browser", ["index", "local", "http", "upstream-browser"], true);
await bundle("browser", ["worker"], false); // one file: a worker that starts waits for nothing else
await bundle("node", ["index-node", "upstream-node"], true);
await bundle("node", ["worker-node"], false);
execFileSync(process.execPath, [path.join(here, "node_modules/typescript/bin/tsc"), "--noEmit", "false", "--declaration", "--emitDeclarationOnly", "--outDir", "dist/types"], { cwd: here, stdio: "inherit" });
copyFileSync(path.join(here, "mmrpc.d.ts"), path.join(here, "dist/mmrpc.d.ts"));
