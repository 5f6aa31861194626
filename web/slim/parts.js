/**
 * Assigns the functions of a program to parts. A part is a list of packages; a name with /... includes the packages
 * below it. The part consists of their functions, and of functions of other packages that nothing else calls. The
 * following functions stay in the first module:
 *
 * - functions that run when the program starts: the inits and the functions that they call
 * - functions that the runtime calls while it cannot wait: the comparisons and hashes of types
 * - functions that other packages call directly and that call nothing of their part, such as constructors and lists of
 *   methods; and small functions that are called in other ways, such as Error methods. So a program can create and
 *   inspect a value without loading the part, for a few bytes in the first module
 */

import { functionNames, referencesOf } from "./program.js";

/** The maximum size in bytes of a function that stays in the first module instead of being replaced by one that waits for its part. */
const small = 128;

/** The package with the functions enter and fail, which gates call. */
const loader = "obverse/wasm/parts";

/** Functions that the runtime needs, and functions that the linker or the runtime call in ways that are not visible in code. */
const staying = /^((runtime|internal\/(runtime|abi|cpu|bytealg)|reflect|internal\/reflectlite|sync|syscall)[./]|go:|type:|\w+$|$)/;
const beginning = /\.(init(\.\d+)?|map\.init\.\d+)$/;

/** Returns the package of a function. @param {string} name */
export function packageOf(name) {
  const plain = name.replace(/[[(].*/s, "");
  const point = plain.indexOf(".", plain.lastIndexOf("/") + 1);
  return point < 0 ? "" : plain.slice(0, point);
}

/** Reports whether a package belongs to a part. @param {string} owner @param {string} listed a package, or packages below it if it ends in /... */
const isOf = (owner, listed) => (listed.endsWith("/...") ? `${owner}/`.startsWith(listed.slice(0, -3)) : owner === listed);

/** Returns all functions that can be reached by calls. @param {number[]} from @param {Set<number>[]} calls */
function reachable(from, calls) {
  const found = new Set(from);
  for (const index of found) {
    calls[index].forEach((called) => found.add(called));
  }
  return found;
}

/**
 * Returns the plan of a program for split.js.
 * @param {Uint8Array} module as the linker wrote it
 * @param {Record<string, string[]>} parts the packages of each part; a package in several parts belongs to the first
 * @returns {import("./split.js").Plan}
 */
export function planOf(module, parts) {
  const names = functionNames(module);
  const owners = names.map(packageOf);
  const find = (/** @type {string} */ listed) => {
    const found = [...names.keys()].filter((index) => isOf(owners[index], listed));
    if (found.length === 0) {
      throw new Error(`the program has no function of ${listed}`);
    }
    return found;
  };
  const references = referencesOf(module);
  const roots = Object.entries(parts).map(([part, packages]) => /** @type {const} */ ([part, packages.flatMap(find)]));
  const partOf = partsOf(names, references, roots);
  const [enter, fail] = ["enter", "fail"].map((name) => names.indexOf(`${loader}.${name}`));
  if (enter < 0 || fail < 0) {
    throw new Error(`the program has no package ${loader}, or does not call Enable of it`);
  }
  return { partOf, gated: gatedIn(partOf, references), names: Object.keys(parts), enter, fail };
}

/** @typedef {ReturnType<typeof referencesOf>} References */

/** Returns the functions of parts that may be called from elsewhere. @param {Map<number, string>} partOf @param {References} references */
function gatedIn(partOf, { calls, taken }) {
  const gated = new Set([...partOf.keys()].filter((index) => taken.has(index)));
  calls.forEach((called, index) => called.forEach((one) => partOf.has(one) && partOf.get(one) !== partOf.get(index) && gated.add(one)));
  return gated;
}

/**
 * Returns the part of each function of a program by index. Functions of the first module are
 * missing.
 * @param {string[]} names
 * @param {References} references
 * @param {(readonly [part: string, indices: number[]])[]} roots
 */
function partsOf(names, references, roots) {
  const { calls, taken } = references;
  const first = reachable([...names.keys()].filter((index) => beginning.test(names[index])), calls);
  /** @type {Map<number, string>} */
  const found = new Map();
  const may = (/** @type {number} */ index) => !found.has(index) && !first.has(index) && !staying.test(names[index]);
  roots.forEach(([part, indices]) => indices.filter(may).forEach((index) => found.set(index, part)));
  leavesIn(names, references, found).forEach((index) => found.delete(index) && first.add(index));
  addCalled(calls, found, (index) => may(index) && !taken.has(index));
  return found;
}

/**
 * Returns the functions of parts that stay in the first module because they call no functions of their part other than such ones. Functions
 * that other packages call directly all stay. Of those that are called as values or through an interface, only small ones and the
 * compiler's wrappers of methods for pointers stay.
 * @param {string[]} names @param {References} references @param {Map<number, string>} found
 */
function leavesIn(names, { calls, taken, sizes }, found) {
  const known = new Set(names);
  const wraps = (/** @type {string} */ name) => name.includes(".(*") && known.has(name.replace(/\(\*(.*?)\)/, "$1"));
  /** @type {Set<number>} */
  const reached = new Set([...taken].filter((index) => found.has(index) && (sizes[index] <= small || wraps(names[index]))));
  calls.forEach((called, index) => called.forEach((one) => found.has(one) && found.get(one) !== found.get(index) && reached.add(one)));
  /** @type {Set<number>} */
  const leaves = new Set();
  for (let before = -1; before < leaves.size; ) {
    before = leaves.size;
    reached.forEach((index) => [...calls[index]].every((one) => leaves.has(one) || found.get(one) !== found.get(index)) && leaves.add(index));
  }
  return leaves;
}

/**
 * Adds to each part the functions that only its functions call.
 * @param {Set<number>[]} calls @param {Map<number, string>} found @param {(index: number) => boolean} may
 */
function addCalled(calls, found, may) {
  /** @type {Set<number>[]} */
  const callers = calls.map(() => new Set());
  calls.forEach((called, index) => called.forEach((one) => callers[one].add(index)));
  const waiting = new Set(found.keys());
  for (const index of waiting) {
    waiting.delete(index);
    for (const called of calls[index]) {
      const part = found.get(index) ?? "";
      if (may(called) && [...callers[called]].every((caller) => found.get(caller) === part)) {
        found.set(called, part);
        waiting.add(called);
      }
    }
  }
}
