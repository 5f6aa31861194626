/** Loads the page's modules for tests that do not need a page. */

import { readFileSync } from "node:fs";
import path from "node:path";
import { compileMessage } from "@lingui/message-utils/compileMessage";
import { build } from "esbuild";
import { web } from "../../test/support.js";

const english = () => Object.fromEntries(Object.entries(JSON.parse(readFileSync(path.join(web, "app/src/words/en.json"), "utf8"))).map(([name, text]) => [name, JSON.stringify(compileMessage(text))]));

// Node has navigator from version 21 on. The modules use it for the user's languages.
globalThis.navigator ??= /** @type {Navigator} */ ({ languages: ["en-US"] });

/**
 * Returns the exports of a module of app/src.
 * @param {string} file such as "exact.ts"
 * @param {Record<string, string>} [instead] replacements of modules, by the end of the name in the import
 * @returns {Promise<any>}
 */
export async function load(file, instead = {}) {
  /** @type {import("esbuild").Plugin} */
  const stubs = {
    name: "stubs",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /./ }, ({ path: name }) => {
        const stub = Object.keys(instead).find((end) => name.endsWith(end));
        return stub === undefined ? undefined : { path: stub, namespace: "stub" };
      });
      // A module has all English texts from the start.
      onResolve({ filter: /words\/[a-z]+\.json\?/ }, ({ path: name }) => ({ path: name, namespace: "texts" }));
      onLoad({ filter: /./, namespace: "texts" }, ({ path: name }) => ({ contents: JSON.stringify([0, "", name.endsWith("en.json?start") ? english() : {}]), loader: "json" }));
      onLoad({ filter: /./, namespace: "stub" }, ({ path: name }) => ({ contents: instead[name], loader: "js", resolveDir: web }));
    },
  };
  const { outputFiles } = await build({ entryPoints: [path.join(web, "app/src", file)], bundle: true, format: "esm", platform: "node", write: false, logLevel: "warning", plugins: [stubs] });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
}
