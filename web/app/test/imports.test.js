/** How the page's modules import one another. */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { build } from "esbuild";
import { web } from "../../test/support.js";

/** The modules of the page, each with those that it imports, at once or later; imports of types do not count. */
async function modules() {
  const options = /** @type {const} */ ({ bundle: true, format: "esm", write: false, metafile: true, outdir: "out", logLevel: "warning" });
  const { metafile } = await build({ ...options, entryPoints: [path.join(web, "app/src/main.tsx")], absWorkingDir: path.join(web, "app/src"), external: ["obverse", "virtual:logos", "*.wasm?url", "*.json?url", "*.json?start", "*.json?usual", "*.json?more", "*.json?design", "*.json?begin"] });
  return new Map(Object.entries(metafile.inputs).filter(([file]) => !file.startsWith("..")).map(([file, { imports }]) => [file, imports.map((one) => one.path)]));
}

/** Import circles below modules. @param {Map<string, string[]>} graph */
function circles(graph, begins = ["main.tsx"]) {
  const [found, done] = [[], new Set()];
  const walk = (file, trail) => {
    if (trail.includes(file)) {
      found.push([...trail.slice(trail.indexOf(file)), file].join(" > "));
    } else if (!done.has(file)) {
      graph.get(file)?.forEach((next) => walk(next, [...trail, file]));
      done.add(file);
    }
  };
  begins.forEach((file) => walk(file, []));
  return found;
}

test("no module of the page imports itself through others", async () => {
  const graph = await modules();
  assert(graph.size > 100, `${graph.size} modules`);
  assert.deepEqual(circles(graph), []);
});

test("no script of the built page waits for itself through others: whose turn comes first would fail", () => {
  const folder = path.join(web, "dist/app/assets");
  const scripts = readdirSync(folder).filter((file) => file.endsWith(".js"));
  const graph = new Map(scripts.map((file) => [file, [...readFileSync(path.join(folder, file), "utf8").matchAll(/(?:from|import)\s*"\.\/([^"]+\.js)"/g)].map(([, other]) => other)]));
  assert([...graph.values()].flat().length > scripts.length, "imports are found");
  assert.deepEqual(circles(graph, scripts), []);
});
