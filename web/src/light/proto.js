/** Encodes protocol buffers to the extent that headers and votes require. Fields with zero or empty values are omitted. */

import { concat } from "./bytes.js";

/** @typedef {Uint8Array | number[]} Bytes */

/** @param {bigint | number} value a 64-bit integer */
export function varint(value) {
  const bytes = [];
  let left = BigInt.asUintN(64, BigInt(value));
  for (; left > 127n; left >>= 7n) {
    bytes.push(Number(left & 127n) | 128);
  }
  return [...bytes, Number(left)];
}

/** @type {(field: number, value: bigint | number) => Bytes} */
export const number = (field, value) => (BigInt(value) === 0n ? [] : [field << 3, ...varint(value)]);

/** @type {(field: number, value: bigint) => Bytes} */
export function fixed64(field, value) {
  if (value === 0n) {
    return [];
  }
  const bytes = new DataView(new ArrayBuffer(8));
  bytes.setBigInt64(0, value, true);
  return concat([(field << 3) | 1], new Uint8Array(bytes.buffer));
}

/**
 * Encodes an embedded message, even if it is empty.
 * @type {(field: number, ...parts: Bytes[]) => Uint8Array}
 */
export function message(field, ...parts) {
  const body = concat(...parts);
  return concat([(field << 3) | 2], varint(body.length), body);
}

/** @type {(field: number, value: Uint8Array) => Bytes} */
export const bytes = (field, value) => (value.length === 0 ? [] : message(field, value));

/**
 * Encodes a google.protobuf.Timestamp.
 * @param {bigint} time ns since 1970
 */
export function timestamp(time) {
  const nanos = BigInt.asUintN(64, ((time % SECOND) + SECOND) % SECOND);
  return concat(number(1, (time - nanos) / SECOND), number(2, nanos));
}

/** The number of nanoseconds in a second. */
export const SECOND = 1_000_000_000n;
