/** Checks the imports between the page's modules. */

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { web } from "../../test/support.js";

const sources = path.join(web, "app/src");

/** Returns the page's modules with the modules that each imports, statically or dynamically, and those from which it imports types. */
function modules() {
  const files = readdirSync(sources, { recursive: true, encoding: "utf8" }).filter((file) => /\.tsx?$/.test(file));
  return new Map(files.map((file) => {
    const text = readFileSync(path.join(sources, file), "utf8").replace(/^ *\*.*$/gm, ""); // without examples in comments
    const imported = text.matchAll(/(?:\bfrom|\bimport|\bimport\()\s*"(\.[^"]+\.tsx?)"/g);
    return [file, [...imported].map(([, other]) => path.join(path.dirname(file), other))];
  }));
}

/** Returns the import cycles below modules. @param {Map<string, string[]>} graph */
function circles(graph, begins = [...graph.keys()]) {
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

test("no module of the page imports itself through others, not even types", () => {
  const graph = modules();
  assert(graph.size > 200, `${graph.size} modules`);
  assert([...graph.values()].flat().every((file) => existsSync(path.join(sources, file))), "imports are found");
  assert.deepEqual(circles(graph), []);
});

test("no script of the built page waits for itself through others: whose turn comes first would fail", () => {
  const folder = path.join(web, "dist/app/assets");
  const scripts = readdirSync(folder).filter((file) => file.endsWith(".js"));
  const graph = new Map(scripts.map((file) => [file, [...readFileSync(path.join(folder, file), "utf8").matchAll(/(?:from|import)\s*"\.\/([^"]+\.js)"/g)].map(([, other]) => other)]));
  assert([...graph.values()].flat().length > scripts.length, "imports are found");
  assert.deepEqual(circles(graph), []);
});
