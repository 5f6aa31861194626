import assert from "node:assert/strict";
import { test } from "node:test";
import { shortenCode } from "../slim/code.js";

const leb = (/** @type {number} */ n) => {
  const bytes = [];
  for (; n > 63; n = Math.floor(n / 128)) {
    bytes.push((n % 128) | 128);
  }
  return [...bytes, n];
};
const section = (/** @type {number} */ id, /** @type {number[]} */ content) => [id, ...leb(content.length), ...content];
const func = (/** @type {number[]} */ body) => [...leb(body.length), ...body];

/** Computes the sum of the integers from the number at address 0 down to 1, in the form of Go's compiler. */
const sum = [
  ...[2, 1, 0x7f, 2, 0x7e, 0x23, 0, 0x21, 1], // local 1: the stack pointer; locals 2 and 3
  ...[0x02, 0x40, 0x03, 0x40, 0x02, 0x40, 0x02, 0x40, 0x02, 0x40, 0x02, 0x40], // exit, loop, four places
  ...[0x20, 0, 0x0e, 4, 0, 1, 1, 2, 3, 0x0b],
  ...[0x41, 0, 0x29, 3, 0, 0x21, 2], // local 2 = number
  ...[0x20, 2, 0x50, 0x04, 0x40, 0x41, 4, 0x21, 0, 0x0c, 4, 0x0b], // to the end, if it is 0
  0x0b,
  ...[0x20, 3, 0x20, 2, 0x7c, 0x21, 3], // local 3 += local 2
  ...[0x20, 1, 0x42, ...leb(0x1001 * 0x10000 + 3), 0x37, 3, 0, 0x41, 0, 0x10, 0, 0x0d, 3], // call, and exit if it was suspended
  0x0b,
  ...[0x20, 2, 0x42, 0x7f, 0x7c, 0x21, 2], // local 2 -= 1
  ...[0x20, 2, 0x42, 0, 0x55, 0x04, 0x40, 0x41, 2, 0x21, 0, 0x0c, 2, 0x0b], // loop while it is positive
  ...[0x41, 4, 0x21, 0, 0x0c, 1, 0x0b],
  ...[0x41, 0, 0x20, 3, 0x37, 3, 16, 0x41, 0, 0x0f, 0x0b, 0x00, 0x0b, 0x41, 1, 0x0b],
];

/** Returns a module with that function, and another one that it calls, which returns the number at address 8. @param {number[]} body */
const moduleOf = (body) =>
  Uint8Array.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [1, 0x60, 1, 0x7f, 1, 0x7f]),
    ...section(3, [2, 0, 0]),
    ...section(5, [1, 0, 1]),
    ...section(6, [1, 0x7f, 1, 0x41, 32, 0x0b]),
    ...section(7, [2, 1, ...Buffer.from("f"), 0, 1, 3, ...Buffer.from("mem"), 2, 0]),
    ...section(10, [2, ...func([0, 0x41, 8, 0x28, 2, 0, 0x0b]), ...func(body)]),
  ]);

/** Returns the results of the function when it starts at each of its targets. @param {Uint8Array} module */
async function runs(module) {
  const all = [];
  for (const [number, exit] of [[0, 0], [1, 0], [5, 0], [5, 1]]) {
    for (const place of [0, 1, 2, 3, 4, 9]) {
      const { instance } = await WebAssembly.instantiate(/** @type {BufferSource} */ (module));
      const { f, mem } = /** @type {any} */ (instance.exports);
      const view = new DataView(mem.buffer);
      view.setBigInt64(0, BigInt(number), true);
      view.setInt32(8, exit, true);
      all.push([number, exit, place, f(place), view.getBigInt64(16, true), view.getBigUint64(32, true)]);
    }
  }
  return all;
}

test("a function does the same with other jumps and calls", async () => {
  const before = moduleOf(sum);
  const after = shortenCode(before);
  const expected = await runs(before);
  assert.deepEqual(expected.find(([number, , place]) => number === 5 && place === 0)?.slice(3), [0, 15n, 0x10010003n]);
  assert.equal(expected.find(([number, exit, place]) => number === 5 && exit === 1 && place === 0)?.[3], 1);
  assert.deepEqual(await runs(after), expected);
  const text = Buffer.from(after);
  assert.ok(text.includes(Buffer.from([0x50, 0x0d, 2])), "the jump ahead under a condition leaves three blocks");
  assert.ok(text.includes(Buffer.from([0x0c, 0, 0x0b])), "the other one leaves one");
  assert.ok(text.includes(Buffer.from([0x41, 2, 0x21, 0, 0x0c, 2, 0x0b])), "the jump back is as it was");
  assert.ok(text.includes(Buffer.from([0x20, 2, 0x42, 3, 0x84, 0x37, 3, 0])), "the return address has its function from a local");
  assert.ok(text.includes(Buffer.from([0x10, 0, 0x04, 0x40, 0x41, 1, 0x0f, 0x0b])), "the exit returns 1 at once");
  assert.deepEqual(shortenCode(after), after);
});

test("a function that looks at its place elsewhere keeps its jumps", async () => {
  const looks = moduleOf([...sum.slice(0, -16), 0x41, 0, 0x20, 0, 0xad, 0x37, 3, 16, ...sum.slice(-9)]);
  const after = shortenCode(looks);
  assert.equal(Buffer.from(after).filter((byte, i) => byte === 0x21 && after[i + 1] === 0 && after[i + 2] === 0x0c).length, 3);
  assert.deepEqual(await runs(after), await runs(looks));
});

test("a function that goes back without saying where to keeps its jumps", async () => {
  const back = sum.findIndex((byte, i) => byte === 0x41 && sum[i + 1] === 2 && sum[i + 2] === 0x21);
  const earlier = moduleOf([...sum.slice(0, back + 4), 0x01, ...sum.slice(back + 4)]); // a nop separates the target from the jump
  const after = shortenCode(earlier);
  assert.equal(Buffer.from(after).filter((byte, i) => byte === 0x21 && after[i + 1] === 0 && after[i + 2] === 0x0c).length, 2);
  assert.deepEqual(await runs(after), await runs(earlier));
});

test("a function with more locals than a byte counts gets none", async () => {
  const add = sum.findIndex((byte, i) => byte === 0x20 && sum[i + 1] === 3 && sum[i + 2] === 0x20);
  const many = moduleOf([2, 1, 0x7f, 0x80, 0x01, 0x7e, ...sum.slice(5, add), 0x20, 0x7f, 0x21, 0x7f, ...sum.slice(add)]);
  assert.deepEqual(await runs(shortenCode(many)), await runs(many));
});

test("the place of a variable on the stack is in the offset of what uses it", async () => {
  const at = (/** @type {number} */ n) => [0x20, 1, 0xad, 0x42, ...leb(n), 0x7c, 0xa7]; // local 1 + n
  const body = [
    ...[2, 1, 0x7f, 2, 0x7e, 0x23, 0, 0x21, 1],
    ...[...at(8), ...at(16), 0x29, 3, 8, 0x42, 1, 0x7c, 0x37, 3, 0], // the number at 8 = the number at 24 plus 1
    ...[0x20, 1, 0x42, 5, 0x37, 3, 24, ...at(16), 0x20, 1, 0x29, 3, 24, 0x20, 1, 0x29, 3, 8, 0x7c, 0x37, 3, 0], // the number at 16 = 5 plus the number at 8
    ...[...at(64), 0x0b],
  ];
  const before = moduleOf(body);
  const after = shortenCode(before);
  const expected = [96, 1n, 6n, 5n];
  for (const module of [before, after]) {
    const { instance } = await WebAssembly.instantiate(/** @type {BufferSource} */ (module));
    const { f, mem } = /** @type {any} */ (instance.exports);
    assert.deepEqual([f(0), ...[8, 16, 24].map((n) => new DataView(mem.buffer).getBigInt64(32 + n, true))], expected);
  }
  const text = Buffer.from(after);
  assert.ok(text.includes(Buffer.from([0x20, 1, 0x20, 1, 0x29, 3, 24, 0x42, 1, 0x7c, 0x37, 3, 8])), "a load and a store have it in their offsets");
  assert.ok(text.includes(Buffer.from([0x20, 1, 0x41, ...leb(64), 0x6a, 0x0b])), "elsewhere it is added as 32 bits");
  assert.deepEqual(shortenCode(after), after);
});

test("a function of another form, and one with an unknown operator", () => {
  const other = moduleOf([0, 0x41, 0, 0x0b]);
  assert.deepEqual(Uint8Array.from(shortenCode(other)), other);
  assert.throws(() => shortenCode(moduleOf([0, 0xfe, 0, 0x0b])), /operator 0xfe is not known/);
});
