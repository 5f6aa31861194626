/** Makes dist/edge/index.js, the Worker around dist/edge/node.wasm. */

import { copyFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { made } from "../made.js";

const here = path.dirname(fileURLToPath(import.meta.url));

await build({
  entryPoints: [path.join(here, "index.js")],
  outdir: path.join(here, "../dist/edge"),
  bundle: true,
  format: "esm",
  target: "es2022",
  external: ["cloudflare:*", "./node.wasm"],
  plugins: [made],
  logLevel: "warning",
});
copyFileSync(path.join(here, "wrangler.toml"), path.join(here, "../dist/edge/wrangler.toml"));
