import assert from "node:assert/strict";
import { test } from "node:test";
import { connect, init } from "obverse";
import { serveNative as serve } from "./native.js";
import { config, owner, until } from "./support.js";

test("a native node answers as the one here does", async (t) => {
  const native = await serve(t);
  const here = await init({ config: config() });
  t.after(() => here.stop());
  for (const ask of [
    (node) => node.rpc("get_public_key"),
    (node) => node.rpc("get_enabled_coins"),
    (node) => node.rpc("my_balance", { coin: "NONE" }),
    (node) => node.rpc("stream::disable", { streamer_id: "HEARTBEAT" }),
    (node) => node.daemon("getblockcount"),
    (node) => node.daemon("getblockhash", 77),
    (node) => node.daemon("tokenlist"),
    (node) => node.daemon("tokenaddress", owner.publicKey),
    (node) => node.daemon("nothing"),
  ]) {
    const answer = async (node) => {
      try {
        return await ask(node);
      } catch ({ name, kind, status, code, data, message }) {
        return { name, kind, status, code, data, message };
      }
    };
    assert.deepEqual(await answer(native), await answer(here), String(ask));
  }
});

test("parameters and answers as they are, with the digits of their numbers", async (t) => {
  const native = await serve(t);
  const here = await init({ config: config() });
  t.after(() => here.stop());
  for (const node of [native, here]) {
    const { status, body } = await node.raw.call("get_public_key", "{}");
    assert.equal(status, 200);
    assert.equal(JSON.parse(body).result.public_key, owner.publicKey);
    const refused = await node.raw.call("my_tx_history", '{"coin":"NONE","limit":1.50}');
    assert.equal(refused.status, 400);
    assert.match(refused.body, /1\.50/, "the node was given what was written");
    await assert.rejects(node.raw.call("version", '{},"method":"stop"'), { kind: "BadOptions" });
    assert.equal((await node.raw.call("stream::heartbeat::enable", "{}")).status, 200, "a client_id is filled in");
    assert.equal((await node.raw.call("stream::heartbeat::enable", "{}")).status, 400, "it is the same client's");
    assert.match((await node.raw.call("stream::disable", '{"streamer_id":"HEARTBEAT"}')).body, /Success/);
  }
});

test("events of a native node", async (t) => {
  const native = await serve(t);
  const beats = [];
  native.subscribe("HEARTBEAT", (event) => beats.push(event));
  assert.deepEqual(await native.rpc("stream::heartbeat::enable", { config: { stream_interval_seconds: 0.1 } }), { streamer_id: "HEARTBEAT" });
  await until(() => beats.length > 1);
  assert.deepEqual(beats[0], { _type: "HEARTBEAT", message: {} });
});

test("wrong passwords, and what no node answers", async (t) => {
  const native = await serve(t);
  const { url } = native;
  const stranger = connect({ url, userpass: "wrong" });
  await assert.rejects(stranger.rpc("get_public_key"), { name: "RpcError", kind: "UserpassIsInvalid", status: 403 });
  assert.equal((await stranger.rpc("version")).result.length > 0, true, "which needs no password");
  assert.equal((await stranger.raw.rpc("{")).status, 500);
  const slow = connect({ url, timeout: 20, fetch: (target, { signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))) });
  await assert.rejects(slow.rpc("version"), { kind: "Timeout" });
});

test("methods that list thousands of NFTs have the time for it, unless the caller says otherwise", async (t) => {
  const waits = [];
  t.mock.method(AbortSignal, "timeout", (ms) => (waits.push(ms), new AbortController().signal));
  const send = async () => new Response('{"mmrpc":"2.0","result":null}');
  for (const timeout of [undefined, 5]) {
    const client = connect({ url: "http://127.0.0.1:1", timeout, fetch: send });
    for (const method of ["version", "update_nft"]) {
      await client.raw.call(method, "{}");
    }
  }
  assert.deepEqual(waits, [60000, 660000, 5, 5]);
});
