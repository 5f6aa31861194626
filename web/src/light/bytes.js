/** Byte arrays, their encodings and their Merkle trees. */

import { ripemd160 } from "@noble/hashes/legacy.js";
import { sha256 as hash } from "@noble/hashes/sha2.js";

/** @type {(bytes: Uint8Array) => Uint8Array} */
export const sha256 = hash;

/** @param {(Uint8Array | number[])[]} parts */
export function concat(...parts) {
  const all = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** @param {string} text */
export const utf8 = (text) => new TextEncoder().encode(text);

/** @param {Uint8Array} bytes */
export const toHex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

/**
 * Decodes hexadecimal digits of either case. Returns null if the text is invalid.
 * @param {unknown} text
 */
export function fromHex(text) {
  if (typeof text !== "string" || text.length % 2 !== 0 || !/^[0-9a-fA-F]*$/.test(text)) {
    return null;
  }
  return Uint8Array.from({ length: text.length / 2 }, (_, n) => parseInt(text.slice(2 * n, 2 * n + 2), 16));
}

/**
 * Decodes base64 with padding. Returns null if the text is invalid.
 * @param {unknown} text
 */
export function fromBase64(text) {
  if (typeof text !== "string" || text.length % 4 !== 0 || !/^[0-9a-zA-Z+/]*={0,2}$/.test(text)) {
    return null;
  }
  return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
}

/**
 * @param {Uint8Array} a
 * @param {Uint8Array} b
 */
export const same = (a, b) => a.length === b.length && a.every((byte, n) => byte === b[n]);

/** @param {Uint8Array} bytes */
export const hash160 = (bytes) => ripemd160(sha256(bytes));

/**
 * Returns the Merkle root of a list (RFC 6962).
 * @param {Uint8Array[]} items
 * @returns {Uint8Array}
 */
export function merkleRoot(items) {
  if (items.length < 2) {
    return items.length === 0 ? sha256(new Uint8Array()) : sha256(concat([0], items[0]));
  }
  let cut = 1;
  while (2 * cut < items.length) {
    cut *= 2;
  }
  return sha256(concat([1], merkleRoot(items.slice(0, cut)), merkleRoot(items.slice(cut))));
}

const BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

/**
 * Returns an address: the version, which must not be 0, the hash and four bytes of checksum in
 * base58.
 * @param {number} version
 * @param {Uint8Array} hash
 */
export function address(version, hash) {
  const body = concat([version], hash);
  let left = BigInt(`0x${toHex(concat(body, sha256(sha256(body)).slice(0, 4)))}`);
  let text = "";
  for (; left > 0n; left /= 58n) {
    text = BASE58[Number(left % 58n)] + text;
  }
  return text;
}
