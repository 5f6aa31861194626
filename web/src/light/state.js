/** Verifies proofs of the chain's state (core/chain/statetree) and decodes its records. */

import { concat, fromHex, same, sha256, utf8 } from "./bytes.js";
import { LightError } from "./error.js";

/**
 * @typedef {object} Token
 * @property {bigint} supply
 * @property {number} height the height of the block that created it
 * @property {boolean} imported
 * @property {Uint8Array} owner
 * @property {Uint8Array} name
 * @property {Uint8Array} description
 * @property {Uint8Array} data the data of a non-fungible token
 */

const MAX_DEPTH = 256;
const NOTHING = new Uint8Array(32);

/** @type {(message: string) => LightError} */
export const badProof = (message) => new LightError("BadProof", `proof: ${message}`);

/** @type {(value: any, what: string, size?: number) => Uint8Array} */
export function digits(value, what, size) {
  const read = fromHex(value);
  if (read === null || (size !== undefined && read.length !== size)) {
    throw badProof(`${what}: want ${size ?? "any number of"} bytes in hexadecimal`);
  }
  return read;
}

/** @type {(key: Uint8Array, depth: number) => number} */
const bit = (key, depth) => (key[depth >> 3] >> (7 - (depth & 7))) & 1;

/** Decodes a hash as nodes display it, with its bytes in reverse order. @type {(value: any, what: string) => Uint8Array} */
export const hashOf = (value, what) => digits(value, what, 32).reverse();

/**
 * Returns the app hash that validators sign for a state (statetree.AppHash).
 * @type {(tip: Uint8Array, height: number, root: Uint8Array) => Uint8Array}
 */
export const appHash = (tip, height, root) => sha256(concat(utf8("obverse state 1\0"), tip, [0, 8, 16, 24].map((shift) => (height >>> shift) & 255), root));

/** @type {(id: Uint8Array) => Uint8Array} */
export const tokenKey = (id) => sha256(concat(utf8("k"), id));

const CONDITION_ADDRESS = 3;

/** @type {(id: Uint8Array, holder: Uint8Array) => Uint8Array} */
export const balanceKey = (id, holder) => sha256(concat(utf8("q"), id, [CONDITION_ADDRESS], holder));

/**
 * Returns the value of a key in the tree with the given root; null if the tree lacks the key
 * (statetree.Proof.Verify).
 * @type {(path: any, root: Uint8Array, key: Uint8Array, what: string) => Uint8Array | null}
 */
export function find(path, root, key, what) {
  const siblings = path?.siblings;
  if (!Array.isArray(siblings) || siblings.length > MAX_DEPTH) {
    throw badProof(`${what}.siblings: want a list of at most ${MAX_DEPTH}`);
  }
  if (path.leaf === undefined) {
    throw badProof(`${what}.leaf is missing`);
  }
  const leaf = path.leaf === null ? null : { key: digits(path.leaf.key, `${what}.leaf.key`, 32), value: digits(path.leaf.value, `${what}.leaf.value`) };
  let hash = leaf === null ? NOTHING : sha256(concat([0], leaf.key, leaf.value));
  for (let depth = siblings.length - 1; depth >= 0; depth--) {
    const sibling = digits(siblings[depth], `${what}.siblings[${depth}]`, 32);
    hash = sha256(bit(key, depth) === 1 ? concat([1], sibling, hash) : concat([1], hash, sibling));
  }
  if (!same(hash, root)) {
    throw badProof(`${what} does not lead to the state root`);
  }
  return leaf !== null && same(leaf.key, key) ? leaf.value : null;
}

/** @param {Uint8Array} value */
const view = (value) => new DataView(value.buffer, value.byteOffset, value.length);

/** @param {Uint8Array} value */
export function readBalance(value) {
  if (value.length !== 8) {
    throw badProof(`balance has ${value.length} bytes, want 8`);
  }
  return view(value).getBigInt64(0, true);
}

/**
 * Decodes the leaf of a token (statetree.appendToken).
 * @param {Uint8Array} value
 * @returns {Token}
 */
export function readToken(value) {
  const data = view(value);
  let at = 13;
  const next = () => {
    const first = data.getUint8(at++);
    const more = { 253: 2, 254: 4 }[first] ?? 0;
    const size = more === 0 ? first : more === 2 ? data.getUint16(at, true) : data.getUint32(at, true);
    at += more + size;
    if (first === 255 || at > value.length) {
      throw badProof("token is truncated");
    }
    return value.slice(at - size, at);
  };
  try {
    const token = { supply: data.getBigInt64(0, true), height: data.getUint32(8, true), imported: data.getUint8(12) !== 0, owner: next(), name: next(), description: next(), data: next() };
    if (at === value.length) {
      return token;
    }
  } catch (error) {
    if (!(error instanceof RangeError)) {
      throw error;
    }
  }
  throw badProof("token is malformed");
}
