/** What a Go program in WebAssembly consists of, and what each of its packages weighs, for size.js. */

import { brotliCompressSync, constants } from "node:zlib";
import { layoutOf } from "./functab.js";
import { packageOf } from "./parts.js";
import { programOf } from "./program.js";
import { sectionsOf, unsigned } from "./sections.js";
import { memoryOf, segmentsIn } from "./segments.js";

/** @typedef {{raw: number, brotli: number}} Weight bytes as they are, and compressed by themselves */
/**
 * @typedef {object} Weights of a module, each byte of which is in one of them, but those of packages, which are code too
 * @property {Weight} code
 * @property {Record<string, Weight>} data
 * @property {Record<string, Weight>} packages the functions of each
 */

/** The data of a Go program, which is no package's. */
export const [typesName, tablesName, otherName] = ["(types and texts)", "(tables of functions)", "(other data)"];
/** Sections other than code and data, and the headers of all sections. */
export const restName = "(sections and their heads)";
/** Stands for functions that the linker makes, such as comparisons of types. */
export const linkerName = "(made by the linker)";
/** Functions that wait for a part with what they are, and the gates that load it. */
export const waitingName = "(in parts that are loaded later)";

/** A quality that takes seconds for the node; the table shows shares, for which it will do. */
const quality = 9;
const [codeSection, dataSection] = [10, 11];

/** @param {Uint8Array[]} pieces @returns {Weight} */
function weightOf(pieces) {
  const whole = Buffer.concat(pieces);
  const params = { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_LGWIN]: 24 };
  return { raw: whole.length, brotli: brotliCompressSync(whole, { params }).length };
}

/** @param {[name: string, pieces: Uint8Array[]][]} named @returns {Record<string, Weight>} */
const weightsIn = (named) => Object.fromEntries(named.map(([name, pieces]) => [name, weightOf(pieces)]));

/** The package that a function counts for. @param {string} name */
function ownerOf(name) {
  const owner = packageOf(name);
  return owner === "" || /^(go|type):/.test(owner) ? linkerName : owner;
}

/** The data of a module, by what it is. @param {Uint8Array} module @returns {[name: string, pieces: Uint8Array[]][]} */
function dataOf(module) {
  const { types, header, end } = layoutOf(memoryOf(module));
  const segments = segmentsIn(module);
  const between = (/** @type {number} */ from, /** @type {number} */ to) =>
    segments.map(([at, bytes]) => bytes.subarray(Math.min(bytes.length, Math.max(0, from - at)), Math.max(0, to - at)));
  return [
    [typesName, between(types, header)],
    [tablesName, between(header, end)],
    [otherName, [...between(0, types), ...between(end, Infinity)]],
  ];
}

/**
 * What a module weighs, with slim tables or without.
 * @param {Uint8Array} module
 * @param {string[]} names of its functions, as the linker wrote them
 * @param {(index: number) => boolean} [stays] whether a function's part is there from the beginning
 * @returns {Weights}
 */
export function weightsOf(module, names, stays = () => true) {
  const functions = programOf(module).bodies.map((body) => Buffer.concat([unsigned(body.length), body]));
  /** @type {Map<string, Uint8Array[]>} */
  const owners = new Map();
  functions.forEach((bytes, index) => {
    const owner = index < names.length && stays(index) ? ownerOf(names[index]) : waitingName;
    owners.set(owner, owners.get(owner) ?? []).get(owner)?.push(bytes);
  });
  const code = weightOf(functions);
  const data = weightsIn(dataOf(module));
  const rest = weightOf([...sectionsOf(module)].filter(([id]) => id !== codeSection && id !== dataSection).map(([, content]) => content));
  const known = Object.values(data).reduce((sum, { raw }) => sum + raw, code.raw);
  return { code, data: { ...data, [restName]: { raw: module.length - known, brotli: rest.brotli } }, packages: weightsIn([...owners]) };
}

/**
 * The weight of each package and of data as shares in a whole that is compressed together.
 * @param {Weights} weights @param {number} whole @returns {Map<string, Weight>}
 */
function sharesOf({ code, data, packages }, whole) {
  const sum = (/** @type {Weight[]} */ weights) => weights.reduce((all, { brotli }) => all + brotli, 0);
  const all = sum([code, ...Object.values(data)]);
  const codes = sum(Object.values(packages)); // more than the code, since each is compressed by itself
  return new Map([
    ...Object.entries(data).map(([name, { raw, brotli }]) => /** @type {const} */ ([name, { raw, brotli: (whole * brotli) / all }])),
    ...Object.entries(packages).map(([name, { raw, brotli }]) => /** @type {const} */ ([name, { raw, brotli: (whole * code.brotli * brotli) / (all * codes) }])),
  ]);
}

/** @typedef {{weights: Weights, brotli: number}} Weighed a module's weights, and the bytes of it compressed */

/**
 * Returns the rows of a table, largest first: raw size, share of the compressed file, and share of another compressed file.
 * One row sums up the packages after the first maxRows, and the last row has the totals.
 * @param {Weighed} module @param {Weighed} other @param {number} maxRows
 * @returns {[name: string, raw: number, brotli: number, other: number][]}
 */
export function rowsOf(module, other, maxRows) {
  const others = sharesOf(other.weights, other.brotli);
  const sorted = [...sharesOf(module.weights, module.brotli)].sort(([a, { brotli: x }], [b, { brotli: y }]) => y - x || (a < b ? -1 : 1));
  const [first, beyond] = [sorted.slice(0, maxRows), sorted.slice(maxRows)];
  let [raw, brotli, otherBrotli] = [0, 0, 0];
  /** @type {[string, number, number, number][]} */
  const rows = first.map(([name, weight]) => {
    const before = [brotli, otherBrotli].map(Math.round); // so that rounded shares have the rounded sum
    raw += weight.raw;
    brotli += weight.brotli;
    otherBrotli += others.get(name)?.brotli ?? 0;
    return [name, weight.raw, Math.round(brotli) - before[0], Math.round(otherBrotli) - before[1]];
  });
  const more = beyond.reduce((sum, [, weight]) => sum + weight.raw, 0);
  rows.push([`${beyond.length} more packages`, more, module.brotli - Math.round(brotli), other.brotli - Math.round(otherBrotli)]);
  return [...rows, ["all", raw + more, module.brotli, other.brotli]];
}
