/** Each streamer is enabled once for all of its users. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./module.js";

/** Test doubles for the module's dependencies: the node and the errors. */
const mine = { node: null };
globalThis.streamsTest = mine;
const { openStream } = await load("streams.ts", {
  "/node.ts": "export const connection = { peek: () => globalThis.streamsTest.node };",
  obverse: `
    export class NodeError extends Error { constructor(kind, data) { super(kind); Object.assign(this, { kind, data }); } }
    export class RpcError extends NodeError { is(kind) { return this.kind === kind; } }
    globalThis.streamsTest.RpcError = RpcError;`,
});

/** A node that records requests and answers on command. */
function newNode(answer = ({ method, coin }) => ({ streamer_id: `${method.split("::")[1].toUpperCase()}${coin ? `:${coin}` : ""}` })) {
  const asked = [];
  const rpc = async (method, params) => {
    asked.push([method, params.coin ?? params.streamer_id ?? ""].join(" ").trim());
    return method === "stream::disable" ? { result: "Success" } : answer({ method, ...params });
  };
  mine.node = { rpc };
  return { asked };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));
const BALANCE = "stream::balance::enable";

test("a stream needs a node", async () => {
  mine.node = null;
  await assert.rejects(openStream(BALANCE, { coin: "ATOM" }), { kind: "NotRunning" });
});

test("two who want the same enable it once, and the last one disables it", async () => {
  const { asked } = newNode();
  const [one, other] = await Promise.all([openStream(BALANCE, { coin: "ATOM" }), openStream(BALANCE, { coin: "ATOM" })]);
  const third = await openStream(BALANCE, { coin: "IRIS" });
  assert.deepEqual(asked, [`${BALANCE} ATOM`, `${BALANCE} IRIS`]);
  one();
  one();
  await settled();
  assert.equal(asked.length, 2, "who ends twice ends once");
  other();
  third();
  await settled();
  assert.deepEqual(asked.slice(2), ["stream::disable BALANCE:ATOM", "stream::disable BALANCE:IRIS"]);
});

test("what is wanted again at once is enabled behind the end, not before it", async () => {
  const { asked } = newNode();
  const end = await openStream("stream::heartbeat::enable");
  end();
  const again = openStream("stream::heartbeat::enable");
  await (await again)();
  await settled();
  assert.deepEqual(asked, ["stream::heartbeat::enable", "stream::disable HEARTBEAT", "stream::heartbeat::enable", "stream::disable HEARTBEAT"]);
});

test("a stream that is on without this page's doing is left on", async () => {
  const { asked } = newNode(() => {
    throw new mine.RpcError("EnableError", "ClientAlreadyListening");
  });
  (await openStream(BALANCE, { coin: "ATOM" }))();
  await settled();
  assert.deepEqual(asked, [`${BALANCE} ATOM`]);
});

test("what cannot be enabled fails for all who want it, and may be tried again", async () => {
  let refuse = true;
  const { asked } = newNode(({ coin }) => {
    if (refuse) {
      throw new mine.RpcError("CoinNotFound", coin);
    }
    return { streamer_id: "BALANCE:ATOM" };
  });
  const both = await Promise.allSettled([openStream(BALANCE, { coin: "ATOM" }), openStream(BALANCE, { coin: "ATOM" })]);
  assert.deepEqual(both.map(({ reason }) => reason.kind), ["CoinNotFound", "CoinNotFound"]);
  refuse = false;
  await openStream(BALANCE, { coin: "ATOM" });
  assert.deepEqual(asked, [`${BALANCE} ATOM`, `${BALANCE} ATOM`]);
});

test("another node has streams of its own", async () => {
  const first = newNode();
  const end = await openStream(BALANCE, { coin: "ATOM" });
  const second = newNode();
  await openStream(BALANCE, { coin: "ATOM" });
  end();
  await settled();
  assert.deepEqual(first.asked, [`${BALANCE} ATOM`, "stream::disable BALANCE:ATOM"]);
  assert.deepEqual(second.asked, [`${BALANCE} ATOM`]);
});
