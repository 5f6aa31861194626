import assert from "node:assert/strict";
import { test } from "node:test";
import { joinSegments } from "../slim/segments.js";

const leb = (/** @type {number} */ n) => (n < 64 ? [n] : n < 8192 ? [(n & 127) | 128, n >> 7] : [(n & 127) | 128, ((n >> 7) & 127) | 128, n >> 14]);

/** Returns a module with two pages of exported memory and the given segments. @param {Array<[number, number[]]>} segments */
function moduleOf(segments) {
  const section = (/** @type {number} */ id, /** @type {number[]} */ content) => [id, ...leb(content.length), ...content];
  const data = segments.flatMap(([from, bytes]) => [0, 0x41, ...leb(from), 0x0b, ...leb(bytes.length), ...bytes]);
  const head = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0];
  return Uint8Array.from([...head, ...section(5, [1, 0, 2]), ...section(7, [1, 3, ...Buffer.from("mem"), 2, 0]), ...section(11, [...leb(segments.length), ...data])]);
}

async function memoryOf(/** @type {Uint8Array} */ bytes) {
  const { instance } = await WebAssembly.instantiate(/** @type {BufferSource} */ (bytes));
  return Buffer.from(/** @type {WebAssembly.Memory} */ (instance.exports.mem).buffer);
}

test("joined segments make the same memory", async () => {
  /** @type {Array<[number, number[]]>} */
  const segments = [[70000, [9]], ...Array.from({ length: 40 }, (_, n) => /** @type {[number, number[]]} */ ([n * 24, [n + 1, 2, 3]])), [60, [7]], [127, [5]], [8191, [4, 4]]];
  const before = moduleOf(segments);
  const after = joinSegments(before);
  assert.deepEqual(await memoryOf(after), await memoryOf(before));
  assert.ok(after.length > 900 && after.length < 1200, "one of those near each other, and no zeros for those far away");
});

test("other sections and an already joined module stay as they are", () => {
  const joined = joinSegments(moduleOf([[16, [1]], [64, [2]]]));
  assert.deepEqual(joinSegments(joined), joined);
});

test("segments that cannot be joined are refused", () => {
  assert.throws(() => joinSegments(moduleOf([[16, [1, 2, 3]], [17, [2]]])), /address 17/);
  const passive = moduleOf([[16, [1]]]);
  passive[passive.length - 6] = 1;
  assert.throws(() => joinSegments(passive), /plain address/);
});
