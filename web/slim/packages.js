/** What each package of a Go program weighs in WebAssembly, for size.js. */

import { brotliCompressSync, constants } from "node:zlib";
import { packageOf } from "./parts.js";
import { functionNames, programOf } from "./program.js";
import { memoryOf } from "./segments.js";

/** @typedef {{raw: number, brotli: number}} Weight bytes of a package's functions, as they are and compressed by themselves */

/** Where data is, which is no package's: types, tables of functions, texts. */
export const dataName = "(types, tables of functions, texts)";

/** Stands for functions that the linker makes, such as comparisons of types. */
export const linkerName = "(made by the linker)";

/** A quality that takes seconds for the node; the table shows shares, for which it will do. */
const quality = 9;

/** @param {Uint8Array[]} pieces @returns {Weight} */
function weightOf(pieces) {
  const whole = Buffer.concat(pieces);
  const params = { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_LGWIN]: 24 };
  return { raw: whole.length, brotli: brotliCompressSync(whole, { params }).length };
}

/** The package that a function counts for. @param {string} name */
function ownerOf(name) {
  const owner = packageOf(name);
  return owner === "" || /^(go|type):/.test(owner) ? linkerName : owner;
}

/**
 * The weights of a program's packages, without functions that are elsewhere.
 * @param {Uint8Array} module as the linker wrote it
 * @param {(index: number) => boolean} [stays] whether a function is part of what is weighed
 * @returns {Record<string, Weight>}
 */
export function packagesOf(module, stays = () => true) {
  const names = functionNames(module);
  /** @type {Map<string, Uint8Array[]>} */
  const found = new Map([[dataName, [memoryOf(module)]]]);
  programOf(module).bodies.forEach((body, index) => {
    const owner = ownerOf(names[index]);
    if (stays(index)) {
      found.set(owner, found.get(owner) ?? []).get(owner)?.push(body);
    }
  });
  return Object.fromEntries([...found].map(([name, pieces]) => [name, weightOf(pieces)]));
}

/**
 * The rows of a table, the heaviest first: raw bytes, and the share in a whole that is compressed together. What is
 * beyond the first rows is one.
 * @param {Record<string, Weight>} packages
 * @param {number} whole bytes of the compressed file
 * @param {number} most rows
 * @returns {[name: string, raw: number, brotli: number][]}
 */
export function rowsOf(packages, whole, most) {
  const all = Object.values(packages).reduce((sum, { brotli }) => sum + brotli, 0);
  const sorted = Object.entries(packages)
    .map(([name, { raw, brotli }]) => /** @type {[string, number, number]} */ ([name, raw, (whole * brotli) / all]))
    .sort((a, b) => b[2] - a[2] || (a[0] < b[0] ? -1 : 1));
  const rest = sorted.slice(most).reduce(([name, raw, brotli], row) => [name, raw + row[1], brotli + row[2]], /** @type {[string, number, number]} */ ([`${sorted.length - most} more packages`, 0, 0]));
  return [...sorted.slice(0, most), ...(sorted.length > most ? [rest] : [])].map(([name, raw, brotli]) => [name, raw, Math.round(brotli)]);
}
