/**
 * The parts of the page's program that are loaded when one of their functions is called first: the packages that each
 * part has. A name with /... stands for the packages below it too.
 *
 * A part also gets the functions that nothing else calls. What runs as the program begins stays in it, and so does what
 * the runtime calls while it cannot wait: the comparisons and hashes of types.
 */

import { functionNames, referencesOf } from "./program.js";

/** The packages of each part. One that is in several belongs to the first of them. @type {Record<string, string[]>} */
export const parts = {
  device: ["obverse/core/wallet/device/...", "obverse/core/wallet/evm/hardware", "obverse/core/wallet/tendermint/hardware"],
  session: ["obverse/core/wallet/walletconnect/...", "obverse/core/wallet/evm/session", "obverse/core/wallet/tendermint/session"],
  dapp: ["obverse/core/wallet/dapp", "obverse/core/wallet/evm/dapp", "obverse/core/wallet/evm/eip712", "obverse/core/wallet/tendermint/dapp"],
  tendermint: ["obverse/core/wallet/tendermint/..."],
  nft: ["obverse/core/wallet/nft"],
  lightning: ["obverse/core/wallet/lightning/..."],
};

/** Functions of these packages that stay: they run as a node starts, as a coin of another family is activated, or for another part. */
const needed = [
  "obverse/core/wallet/device/ledger.Over",
  "obverse/core/wallet/evm/hardware.(*Provider).Policy",
  "obverse/core/wallet/evm/hardware.Provider.Policy",
  "obverse/core/wallet/evm/session.(*Provider).Policy",
  "obverse/core/wallet/evm/session.Provider.Policy",
  "obverse/core/wallet/lightning.NewTrusted",
  "obverse/core/wallet/lightning/node.(*Activator).Supported",
  "obverse/core/wallet/nft.New",
  "obverse/core/wallet/tendermint/hardware.(*Provider).Policy",
  "obverse/core/wallet/tendermint/hardware.Provider.Policy",
  "obverse/core/wallet/tendermint/session.(*Provider).Policy",
  "obverse/core/wallet/tendermint/session.Provider.Policy",
  "obverse/core/wallet/walletconnect/cosmos.Chain",
  "obverse/core/wallet/walletconnect/evm.Chain",
];

/** What the runtime needs, and functions that the linker or the runtime call in ways of their own. */
const staying = /^((runtime|internal\/(runtime|abi|cpu|bytealg)|reflect|internal\/reflectlite|sync|syscall)[./]|go:|type:|\w+$|$)/;
const beginning = /\.(init(\.\d+)?|map\.init\.\d+)$/;

/** The package of a function. @param {string} name */
export function packageOf(name) {
  const plain = name.replace(/\[.*/s, "");
  const point = plain.indexOf(".", plain.lastIndexOf("/") + 1);
  return point < 0 ? "" : plain.slice(0, point);
}

/** @param {string} name @param {string} pattern */
const matches = (name, pattern) => (pattern.endsWith("/...") ? `${name}/`.startsWith(pattern.slice(0, -3)) : name === pattern);

/** All that can be reached by calls. @param {number[]} from @param {Set<number>[]} calls */
function reachable(from, calls) {
  const found = new Set(from);
  for (const index of found) {
    calls[index].forEach((called) => found.add(called));
  }
  return found;
}

/**
 * What split.js needs to know of a program.
 * @param {Uint8Array} module as the linker wrote it
 * @param {Record<string, string[]>} [wanted]
 * @param {string[]} [stay]
 * @returns {import("./split.js").Plan}
 */
export function planOf(module, wanted = parts, stay = wanted === parts ? needed : []) {
  const names = functionNames(module);
  const find = (/** @type {string} */ name) => {
    const index = names.indexOf(name);
    if (index < 0) {
      throw new Error(`the program has no function ${name}`);
    }
    return index;
  };
  const references = referencesOf(module);
  Object.entries(wanted).forEach(([part, patterns]) => patterns.forEach((pattern) => {
    if (!names.some((name) => matches(packageOf(name), pattern))) {
      throw new Error(`the program has no function of the part ${part} in ${pattern}`);
    }
  }));
  const partOf = partsOf(names, references, wanted, stay.map(find));
  return { partOf, gated: gatedIn(partOf, references), names: Object.keys(wanted), enter: find("obverse/wasm/parts.enter"), fail: find("obverse/wasm/parts.fail") };
}

/** @typedef {ReturnType<typeof referencesOf>} References */

/** The functions of parts that may be called from elsewhere. @param {Map<number, string>} partOf @param {References} references */
function gatedIn(partOf, { calls, taken }) {
  const gated = new Set([...partOf.keys()].filter((index) => taken.has(index)));
  calls.forEach((called, index) => called.forEach((one) => partOf.has(one) && partOf.get(one) !== partOf.get(index) && gated.add(one)));
  return gated;
}

/**
 * The part that each function of a program belongs to, by its index; those without one stay.
 * @param {string[]} names
 * @param {References} references
 * @param {Record<string, string[]>} wanted
 * @param {number[]} stay
 */
function partsOf(names, { calls, taken }, wanted, stay) {
  const partOf = (/** @type {string} */ name) => Object.keys(wanted).find((part) => wanted[part].some((pattern) => matches(packageOf(name), pattern)));
  const first = reachable([...stay, ...[...names.keys()].filter((index) => beginning.test(names[index]))], calls);
  /** @type {Map<number, string>} */
  const found = new Map();
  const may = (/** @type {number} */ index) => !found.has(index) && !first.has(index) && !staying.test(names[index]);
  names.forEach((name, index) => {
    const part = partOf(name);
    if (part && may(index)) {
      found.set(index, part);
    }
  });
  addCalled(calls, found, (index) => may(index) && !taken.has(index));
  return found;
}

/** Adds to each part what only its functions call. @param {Set<number>[]} calls @param {Map<number, string>} found @param {(index: number) => boolean} may */
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
