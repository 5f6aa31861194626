/** Bytes, their text forms, and hashes of lists of them. */

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
 * Reads hexadecimal digits of either case; null if invalid.
 * @param {unknown} text
 */
export function fromHex(text) {
  if (typeof text !== "string" || text.length % 2 !== 0 || !/^[0-9a-fA-F]*$/.test(text)) {
    return null;
  }
  return Uint8Array.from({ length: text.length / 2 }, (_, n) => parseInt(text.slice(2 * n, 2 * n + 2), 16));
}

/**
 * Reads base64 with padding; null if invalid.
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
 * The root of a list (RFC 6962).
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
 * An address: its version, a hash and four bytes of a checksum, in base58. The version is not 0.
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
