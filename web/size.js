/**
 * Prints the sizes of the files that a page and the edge load: raw, and with the best compression of gzip
 * and brotli. It also prints the packages of the page's node: their raw sizes, their shares of the brotli
 * size, and the shares in a program without any code of the project (wasm/floor). With --check, it fails if
 * a size exceeds budget.json. With --write, it sets the limits in budget.json to the measured sizes plus 3
 * %.
 */

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { compress } from "./compress.js";
import { parts } from "./parts.js";
import { rowsOf } from "./slim/packages.js";

const at = (/** @type {string} */ file) => new URL(file, import.meta.url);
const read = (/** @type {string} */ file) => readFileSync(at(file));
const spare = 1.03;

/** @typedef {{raw: number, gzip: number, brotli: number}} Sizes */

/** @type {(files: string[]) => Promise<Sizes>} */
async function sizes(files) {
  const sum = { raw: 0, gzip: 0, brotli: 0 };
  for (const file of files) {
    const bytes = read(file);
    const { gzip, brotli } = await compress(bytes);
    sum.raw += bytes.length;
    sum.gzip += gzip.length;
    sum.brotli += brotli.length;
  }
  return sum;
}

/**
 * Returns the scripts of the wallet page: those that are needed for the first screen, and those
 * that are needed to run its node, which has one more.
 */
function scripts() {
  const all = readdirSync(at("dist/app/assets")).filter((name) => name.endsWith(".js"));
  const text = String(read("dist/app/index.html"));
  const first = [...text.matchAll(/<(?:script|link rel="modulepreload")[^>]* (?:src|href)="\.\/([^"?]+\.js)(?:\?[^"]*)?"/g)].map(([, file]) => file);
  const worker = all.filter((name) => name.startsWith("worker-")).map((name) => `assets/${name}`);
  if (first.length < 2 || worker.length !== 1) {
    throw new Error("dist/app/index.html or its assets are not as this script knows them");
  }
  const inApp = (/** @type {string[]} */ files) => files.map((file) => `dist/app/${file}`);
  const every = all.map((name) => `assets/${name}`);
  // Texts in other languages, the list of common passwords and the design page are not views.
  const views = every.filter((file) => ![...first, ...worker].includes(file) && !/\/(strength|de|design)-/.test(file));
  return { first: inApp([...first, ...worker]), views: inApp(views), all: inApp([...every, "theme.js", "session-worker.js"]) };
}

const { first, views, all } = scripts();
/** The files that are measured together, by their name in budget.json. @type {Record<string, string[]>} */
const measured = {
  "dist/obverse.wasm": ["dist/obverse.wasm"],
  ...Object.fromEntries(Object.keys(parts).map((part) => [`dist/obverse.${part}.wasm`, [`dist/obverse.${part}.wasm`]])),
  "dist/worker.js": ["dist/worker.js"],
  "dist/light.js": ["dist/light.js"],
  "dist/app, first scripts": first,
  "dist/app, views": views,
  "dist/app, all scripts": all,
  "dist/edge": ["dist/edge/node.wasm", "dist/edge/index.js"],
};

const budgetFile = at("budget.json");
const budget = JSON.parse(readFileSync(budgetFile, "utf8"));
const row = (/** @type {any[]} */ ...cells) => console.log(cells.map((cell, n) => (n === 0 ? String(cell).padEnd(29) : String(cell).padStart(12))).join(""));
const updated = /** @type {Record<string, {gzip: number, brotli: number}>} */ ({});
row("", "raw", "gzip", "limit", "brotli", "limit");
for (const [name, files] of Object.entries(measured)) {
  const is = await sizes(files);
  const limit = budget[name] ?? { gzip: 0, brotli: 0 };
  row(name, is.raw, is.gzip, limit.gzip, is.brotli, limit.brotli);
  updated[name] = { gzip: Math.floor(is.gzip * spare), brotli: Math.floor(is.brotli * spare) };
  for (const form of /** @type {const} */ (["gzip", "brotli"])) {
    if (process.argv.includes("--check") && is[form] > limit[form]) {
      console.error(`${name} has ${is[form]} bytes in ${form}; budget.json allows ${limit[form]}`);
      process.exitCode = 1;
    }
  }
}
/** @type {(file: string) => Promise<import("./slim/packages.js").Weighed>} */
const weighed = async (file) => ({ weights: JSON.parse(String(read(file.replace(/\.wasm$/, ".packages.json")))), brotli: (await sizes([file])).brotli });
const node = "dist/obverse.wasm";
const packages = rowsOf(await weighed(node), await weighed(".cache/floor.wasm"), 40);
const width = Math.max(...packages.map(([name]) => name.length)) + 2;
const packageRow = (/** @type {string} */ name, /** @type {(string | number)[]} */ ...cells) => console.log(`${name.padEnd(width)}${cells.map((cell) => String(cell).padStart(12)).join("")}`);
console.log("");
packageRow(`${node}, by packages`, "raw", "brotli", "of floor");
packages.forEach((cells) => packageRow(...cells));
if (process.argv.includes("--write")) {
  writeFileSync(budgetFile, `${JSON.stringify(updated, null, 2)}\n`);
}
