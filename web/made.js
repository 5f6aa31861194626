/** Modules of the bundles that are made when they are built: Go's glue, and the version. */

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";

const { GO = "go", VERSION = "devel", COMMIT = "unknown", BUILT = "" } = process.env;

/**
 * wasm_exec.js is a script that finds all it needs in globalThis and leaves Go there. As
 * a function with a parameter of that name it takes and leaves it in an object of ours.
 * It also uses fs by its bare name, to print the last output of a program that crashes.
 */
function glue() {
  const root = execFileSync(GO, ["env", "GOROOT"], { encoding: "utf8" }).trim();
  const script = readFileSync(path.join(root, "lib/wasm/wasm_exec.js"), "utf8");
  return `export default function (globalThis) {\nconst { fs } = globalThis;\n${script}\nreturn globalThis.Go;\n}\n`;
}

/** See src/version.d.ts. */
const version = () =>
  Object.entries({ version: VERSION, commit: COMMIT, built: BUILT })
    .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};\n`)
    .join("");

/** Modules that are not in src/. @type {import("esbuild").Plugin} */
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
