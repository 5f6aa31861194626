/**
 * Runs a Go test program of the store in a Durable Object, on its storage, and prints
 * {"code": …, "output": …}. Its arguments are the program and the folder of the object's data.
 */

import { readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Log, LogLevel, Miniflare } from "miniflare";
import { build } from "../../../web/node_modules/esbuild/lib/main.js";
import { made } from "../../../web/made.js";

const here = path.dirname(fileURLToPath(import.meta.url));
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
const miniflare = new Miniflare({
  host: "127.0.0.1",
  port: 0,
  cf: false,
  log: new Log(LogLevel.ERROR),
  handleRuntimeStdio(out, err) {
    out.pipe(process.stderr);
    err.pipe(process.stderr);
  },
  modules: [
    { type: "ESModule", path: "store.js", contents: bundle.outputFiles[0].text },
    { type: "CompiledWasm", path: "store.wasm", contents: readFileSync(program) },
  ],
  compatibilityDate: "2026-04-01",
  durableObjects: { STORE: { className: "Store", useSQLite: true } },
  durableObjectsPersist: folder,
});
const response = await miniflare.dispatchFetch("http://store/");
console.log(await response.text());
await miniflare.dispose();
process.exit(0);
