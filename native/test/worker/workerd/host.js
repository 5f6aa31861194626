/**
 * Runs the Worker in workerd for a test in another language. It prints {"url": …} when it is
 * ready, and ends with its standard input. Its arguments are the folder of the objects' data
 * and, where the Worker is to serve the wallet page, its folder.
 */

import { readFileSync } from "node:fs";
import path from "node:path";
import { here, start } from "./start.js";

const edge = path.join(here, "../../../../web/dist/edge");
const NODES = Array.from({ length: 512 }, (_, n) => `n${n}`).join(",");

const miniflare = start(process.argv[2], {
  modules: [
    { type: "ESModule", path: "entry.js", contents: readFileSync(path.join(here, "entry.js"), "utf8") },
    { type: "ESModule", path: "index.js", contents: readFileSync(path.join(edge, "index.js"), "utf8") },
    { type: "CompiledWasm", path: "node.wasm", contents: readFileSync(path.join(edge, "node.wasm")) },
  ],
  bindings: { NODES },
  durableObjects: { NODE: { className: "TestNode", useSQLite: true } },
  ...(process.argv[3] && { assets: { directory: process.argv[3], binding: "ASSETS", routerConfig: { has_user_worker: true, invoke_user_worker_ahead_of_assets: true } } }),
});
const url = await miniflare.ready;
console.log(JSON.stringify({ url: url.origin }));
process.stdin.resume();
process.stdin.on("end", async () => {
  await miniflare.dispose();
  process.exit(0);
});
