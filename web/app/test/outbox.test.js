/** The node through which a pending transaction is followed, and the times of the requests. */

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { load } from "./module.js";

/** Test doubles for the module's dependencies: the node, its owner, storage and messages. */
const mine = { kept: new Map(), owner: "", said: [] };
globalThis.outboxTest = mine;
const { outbox, note, follow, ours, connection, RpcError } = await load("../test/outboxmodule.ts", {
  "/node.ts": `
    import { signal } from "@preact/signals";
    export const connection = signal(null);
    export const rpc = async (...call) => connection.peek().rpc(...call);`,
  "/announce.tsx": "export const announce = (text) => void globalThis.outboxTest.said.push(text);",
  "/family.ts": "export const isEvm = () => false;",
  "/holdings.ts": "export const again = () => {};",
  "/memory.ts": "export const recall = (name) => globalThis.outboxTest.kept.get(name) ?? null; export const remember = (name, text) => void globalThis.outboxTest.kept.set(name, text);",
  "/remembered.ts": "export const whose = () => globalThis.outboxTest.owner;",
  obverse: `
    export class RpcError extends Error { constructor(kind, data = {}) { super(kind); this.kind = kind; this.data = data; } is(kind) { return kind === this.kind; } }`,
});

/** The pending timers of the module. */
const timers = new Map();
globalThis.setTimeout = /** @type {any} */ ((does) => {
  const timer = {};
  timers.set(timer, does);
  return timer;
});
globalThis.clearTimeout = (timer) => void timers.delete(timer);

/** Fires all pending timers. */
const pass = () => [...timers].forEach(([timer, does]) => timers.delete(timer) && does());

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Opens a wallet with a node that records requests and answers on command. */
async function enter(owner) {
  const node = { asked: [], rpc: (method, { tx_hex: hex }) => new Promise((resolve, reject) => node.asked.push({ method, hex, resolve, reject })) };
  mine.owner = owner;
  connection.value = node;
  await settled();
  return node;
}

const leave = () => void (connection.value = null);

const sent = { coin: "ATOM", to: ["cosmos1x"], amount: "1", hash: "H", hex: "aa", height: null };
const heights = () => outbox.peek().map(({ height }) => height);

beforeEach(() => {
  leave();
  mine.kept.clear();
  mine.said.length = 0;
  timers.clear();
});

test("who comes back finds it followed at once, though the old node has not answered", async () => {
  const first = await enter("A");
  note(sent);
  const followed = follow(sent);
  assert.equal(first.asked.length, 1);
  leave();
  assert.deepEqual(outbox.peek(), []);
  const second = await enter("A");
  assert.deepEqual(second.asked.map(({ hex }) => hex), ["aa"]);
  first.asked[0].resolve({ block_height: 7 });
  assert.equal(await followed, 7);
  assert.deepEqual(heights(), [null], "what the old node says is not taken for the new one's");
  second.asked[0].resolve({ block_height: 8 });
  await settled();
  assert.deepEqual([heights(), mine.said], [[8], ["Sent: 1 ATOM, in block 8"]]);
});

test("another wallet's node is asked nothing of it, and what is noted late is in the right list", async () => {
  const first = await enter("A");
  note(sent);
  const list = ours();
  void follow(sent).catch(() => {});
  const other = await enter("B");
  first.asked[0].reject(new RpcError("Transport"));
  await settled();
  pass();
  await settled();
  assert.deepEqual([other.asked.length, first.asked.length, outbox.peek().length], [0, 1, 0]);
  note({ ...sent, hash: "L" }, list);
  assert.equal(outbox.peek().length, 0);
  leave();
  mine.owner = "A"; // a locked wallet of this page is known nevertheless
  note({ ...sent, hash: "M" }, list);
  assert.deepEqual(outbox.peek(), [], "nothing is shown of a wallet that is locked");
  const again = await enter("A");
  assert.deepEqual(outbox.peek().map(({ hash }) => hash), ["M", "L", "H"]);
  assert.equal(again.asked.length, 3);
});

test("who leaves in a pause between two tries leaves no timer, and no second follower", async () => {
  for (const kind of ["Transport", "NoSuchCoin"]) {
    const first = await enter("A");
    note(sent);
    leave();
    const second = await enter("A");
    second.asked[0].reject(new RpcError(kind));
    await settled();
    assert.equal(timers.size, 1, "it tries again later, not at once");
    assert.equal(second.asked.length, 1);
    pass();
    await settled();
    assert.equal(second.asked.length, 2);
    second.asked[1].reject(new RpcError(kind));
    await settled();
    leave();
    assert.equal(timers.size, 0);
    const third = await enter("A");
    await settled();
    assert.deepEqual([first.asked.length, second.asked.length, third.asked.length], [0, 2, 1]);
    third.asked[0].reject(new RpcError("TransactionRefused", { codespace: "sdk", code: 30 }));
    await settled();
    assert.deepEqual([outbox.peek(), timers.size], [[], 0]);
    assert.match(mine.said.pop(), /^Not sent: /);
    leave();
  }
});

test("one that another took the place of is not said to be rejected", async () => {
  mine.kept.set("sent.A", JSON.stringify([sent]));
  const node = await enter("A");
  node.asked[0].reject(new RpcError("TransactionRefused", { codespace: "evm", code: 2 }));
  await settled();
  assert.deepEqual(outbox.peek(), []);
  assert.match(mine.said.pop(), /another transaction of yours took its place/);
});

test("a refusal by the servers that it is sent to again is no verdict, and it is sent until there is one", async () => {
  const verdicts = [{ codespace: "evm", code: 2 }, { codespace: "sdk", code: 30 }, { codespace: "sdk", code: 5, block_height: 7 }];
  for (const verdict of verdicts) {
    mine.kept.set("sent.A", JSON.stringify([sent]));
    const node = await enter("A");
    for (const data of [{ codespace: "jsonrpc", code: 32000 }, { codespace: "sdk", code: 13, block_height: 0 }, { codespace: "sdk", code: 20 }]) {
      node.asked.at(-1).reject(new RpcError("TransactionRefused", data));
      await settled();
      assert.deepEqual([heights(), mine.said, timers.size], [[null], [], 1]);
      pass();
      await settled();
    }
    node.asked.at(-1).reject(new RpcError("TransactionRefused", verdict));
    await settled();
    assert.deepEqual([outbox.peek(), mine.said.splice(0).length, timers.size], [[], 1, 0]);
    leave();
  }
});

test("one that another tab removes after its first submission was refused is not sent again", async () => {
  mine.kept.set("sent.A", JSON.stringify([sent]));
  const node = await enter("A");
  node.asked[0].reject(new RpcError("TransactionRefused", { codespace: "sdk", code: 13 }));
  await settled();
  mine.kept.set("sent.A", "[]");
  pass();
  await settled();
  pass();
  await settled();
  assert.deepEqual([node.asked.length, timers.size, mine.said], [1, 0, []]);
});

test("what waits for a block stays in the list behind many that were sent later", async () => {
  await enter("A");
  note({ ...sent, hash: "waits" });
  for (let n = 0; n < 30; n++) {
    note({ ...sent, hash: `mined${n}`, height: 7 });
  }
  assert.deepEqual([outbox.peek().length, outbox.peek().at(-1)?.hash], [21, "waits"]);
});
