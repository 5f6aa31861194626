import assert from "node:assert/strict";
import { test } from "node:test";
import { Channel } from "../src/channel.js";
import { canonical } from "../src/canonical.js";
import { NodeError } from "../src/errors.js";
import { MemoryDrive } from "../src/storage/memory.js";
import { check } from "./page/drive.js";

test("files in memory", async () => {
  const drive = new MemoryDrive();
  await check(async () => drive, true);
});

/** Returns two ports that post messages to each other. */
function pair(handlers, options) {
  const ends = [{}, {}];
  const post = (to) => (message) => queueMicrotask(() => to.onmessage?.({ data: structuredClone(message) }));
  ends[0].postMessage = post(ends[1]);
  ends[1].postMessage = post(ends[0]);
  return [new Channel(ends[0], {}), new Channel(ends[1], handlers, options)];
}

test("a channel carries values, errors and messages", async () => {
  const received = [];
  const [here] = pair({
    add: (a, b) => a + b,
    later: async () => new Uint8Array([1]),
    fail: () => {
      throw new NodeError("Odd", "no", { a: 1 });
    },
    tell: (text) => received.push(text),
  });
  assert.equal(await here.call("add", 2, 3), 5);
  assert.deepEqual(await here.call("later"), new Uint8Array([1]));
  await assert.rejects(here.call("fail"), { name: "NodeError", kind: "Odd", message: "no", data: { a: 1 } });
  await assert.rejects(here.call("toString"), { kind: "Internal" }, "only what was offered");
  here.post("tell", "x");
  here.post("none");
  await here.call("add", 1, 1);
  assert.deepEqual(received, ["x"]);
});

test("a channel that ends rejects acknowledged calls with another error", async () => {
  const never = () => new Promise(() => {});
  const [here] = pair({ never }, { receipts: true });
  const heard = assert.rejects(here.call("never"), { kind: "Gone" });
  await new Promise((resolve) => setTimeout(resolve, 5));
  const unheard = assert.rejects(here.call("never"), { kind: "Unheard" });
  here.close(new NodeError("Gone", ""), new NodeError("Unheard", ""));
  await Promise.all([heard, unheard]);
  await assert.rejects(here.call("never"), { kind: "Unheard" });
});

test("equal values have the same canonical text", () => {
  assert.equal(canonical({ b: [{ d: 1, c: 2 }], a: null }), canonical({ a: null, b: [{ c: 2, d: 1 }] }));
  assert.notEqual(canonical([1, 2]), canonical([2, 1]));
});
