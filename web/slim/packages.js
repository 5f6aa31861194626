/** Computes the sizes of the packages and the data of a Go program in WebAssembly, for size.js. */

import { brotliCompressSync, constants } from "node:zlib";
import { layoutOf } from "./functab.js";
import { packageOf } from "./parts.js";
import { programOf } from "./program.js";
import { sectionsOf, unsigned } from "./sections.js";
import { memoryOf, segmentsIn } from "./segments.js";

/** @typedef {{raw: number, brotli: number}} Weight the raw size in bytes, and the size when compressed separately */
/**
 * @typedef {object} Weights the sizes of a module's contents. Each byte is counted in one of them; those of packages are also counted in
 *   code
 * @property {Weight} code
 * @property {Record<string, Weight>} data
 * @property {Record<string, Weight>} packages the functions of each package
 */

/** The data of a Go program, which does not belong to a package. */
export const [typesName, tablesName, otherName] = ["(types and texts)", "(tables of functions)", "(other data)"];
/** Sections other than code and data, and the headers of all sections. */
export const restName = "(sections and their heads)";
/** The owner of functions that the linker generates, such as comparisons of types. */
export const linkerName = "(made by the linker)";
/** Functions of parts that are loaded later with their metadata, and the gates that load the parts. */
export const waitingName = "(in parts that are loaded later)";

/** A compression quality that takes seconds for the node. It is sufficient for a table of shares. */
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

/** Returns the package that a function is counted for. @param {string} name */
function ownerOf(name) {
  const owner = packageOf(name);
  return owner === "" || /^(go|type):/.test(owner) ? linkerName : owner;
}

/** Returns the data of a module by kind. @param {Uint8Array} module @returns {[name: string, pieces: Uint8Array[]][]} */
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
 * Returns the sizes of a module, with or without slim tables.
 * @param {Uint8Array} module
 * @param {string[]} names the names of its functions, as the linker wrote them
 * @param {(index: number) => boolean} [stays] reports whether a function is in the first module
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
 * Returns the sizes of each package and of the data as shares of a module that is compressed as a
 * whole.
 * @param {Weights} weights @param {number} whole @returns {Map<string, Weight>}
 */
function sharesOf({ code, data, packages }, whole) {
  const sum = (/** @type {Weight[]} */ weights) => weights.reduce((all, { brotli }) => all + brotli, 0);
  const all = sum([code, ...Object.values(data)]);
  const codes = sum(Object.values(packages)); // larger than the code, since each package is compressed separately
  return new Map([
    ...Object.entries(data).map(([name, { raw, brotli }]) => /** @type {const} */ ([name, { raw, brotli: (whole * brotli) / all }])),
    ...Object.entries(packages).map(([name, { raw, brotli }]) => /** @type {const} */ ([name, { raw, brotli: (whole * code.brotli * brotli) / (all * codes) }])),
  ]);
}

/** @typedef {{weights: Weights, brotli: number}} Weighed the sizes of a module's contents, and its compressed size */

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
