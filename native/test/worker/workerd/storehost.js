/**
 * Runs a Go test program of the store in a Durable Object, on its storage, and prints
 * {"code": …, "output": …}. Its arguments are the program and the folder of the object's data.
 */

import { readFileSync } from "node:fs";
import path from "node:path";
import { build } from "../../../../web/node_modules/esbuild/lib/main.js";
import { made } from "../../../../web/made.js";
import { here, start } from "./start.js";

const [program, folder] = process.argv.slice(2);
const bundle = await build({
  entryPoints: [path.join(here, "store.js")],
  bundle: true,
  write: false,
  format: "esm",
  target: "es2022",
  external: ["cloudflare:*", "./store.wasm"],
  plugins: [made],
  logLevel: "warning",
});
const miniflare = start(folder, {
  modules: [
    { type: "ESModule", path: "store.js", contents: bundle.outputFiles[0].text },
    { type: "CompiledWasm", path: "store.wasm", contents: readFileSync(program) },
  ],
  durableObjects: { STORE: { className: "Store", useSQLite: true } },
});
const response = await miniflare.dispatchFetch("http://store/");
console.log(await response.text());
await miniflare.dispose();
process.exit(0);
