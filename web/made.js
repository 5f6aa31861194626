/** Modules that are generated when the bundles are built: Go's glue code and the version. */

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";

const { GO = "go", VERSION = "devel", COMMIT = "unknown", BUILT = "" } = process.env;

/**
 * Returns wasm_exec.js as a function. The script takes all of its dependencies from globalThis and
 * defines Go there. As a function with a parameter of that name, it uses the given object instead.
 * It also refers to fs directly, to print the last output of a program that crashes.
 */
function glue() {
  const root = execFileSync(GO, ["env", "GOROOT"], { encoding: "utf8" }).trim();
  const script = readFileSync(path.join(root, "lib/wasm/wasm_exec.js"), "utf8");
  return `export default function (globalThis) {\nconst { fs } = globalThis;\n${script}\nreturn globalThis.Go;\n}\n`;
}

/** Returns the module that src/version.d.ts declares. */
const version = () =>
  Object.entries({ version: VERSION, commit: COMMIT, built: BUILT })
    .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};\n`)
    .join("");

/** Provides the modules that are not in src/. @type {import("esbuild").Plugin} */
export const made = {
  name: "made",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\/(wasm_exec|version)\.js$/ }, ({ path: file }) => ({ path: path.basename(file), namespace: "made" }));
    onLoad({ filter: /.*/, namespace: "made" }, ({ path: file }) => ({
      contents: file === "version.js" ? version() : glue(),
      loader: "js",
    }));
  },
};
