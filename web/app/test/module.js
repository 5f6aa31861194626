/** The page's own modules, for tests of what needs no page. */

import path from "node:path";
import { build } from "esbuild";
import { web } from "../../test/support.js";

/**
 * What a module of app/src exports.
 * @param {string} file such as "exact.ts"
 * @returns {Promise<any>}
 */
export async function load(file) {
  const { outputFiles } = await build({ entryPoints: [path.join(web, "app/src", file)], bundle: true, format: "esm", platform: "node", write: false, logLevel: "warning" });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
}
