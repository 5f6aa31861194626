/**
 * Prints the sizes of what a page loads: raw, gzip and brotli, each at its best. With
 * --check it fails where one is beyond budget.json.
 */

import { readFileSync } from "node:fs";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const at = (/** @type {string} */ file) => new URL(file, import.meta.url);
const budget = JSON.parse(readFileSync(at("budget.json"), "utf8"));
const best = { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 } };
const row = (/** @type {any[]} */ ...cells) => console.log(cells.map((cell, n) => (n === 0 ? String(cell).padEnd(22) : String(cell).padStart(12))).join(""));

let failed = false;
row("file", "raw", "gzip", "brotli", "limit");
for (const [file, limit] of Object.entries(budget)) {
  const bytes = readFileSync(at(file));
  const brotli = brotliCompressSync(bytes, best).length;
  row(file, bytes.length, gzipSync(bytes, { level: 9 }).length, brotli, limit);
  if (process.argv.includes("--check") && brotli > limit) {
    console.error(`${file} has ${brotli} bytes in brotli; budget.json allows ${limit}`);
    failed = true;
  }
}
process.exitCode = failed ? 1 : 0;
