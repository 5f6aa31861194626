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
  const unauthorized = connect({ url, userpass: "wrong" });
  await assert.rejects(unauthorized.rpc("get_public_key"), { name: "RpcError", kind: "UserpassIsInvalid", status: 403 });
  assert.equal((await unauthorized.rpc("version")).result.length > 0, true, "which needs no password");
  assert.equal((await unauthorized.raw.rpc("{")).status, 500);
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

/**
 * Returns a client of a node that accepts all calls. The test writes its event stream.
 * @param {(write: (text: string) => void, n: number) => unknown} streams streams writes the nth stream
 */
function streaming(streams) {
  let opened = 0;
  const send = async (target, { body } = {}) => {
    if (!String(target).includes("event-stream")) {
      return new Response(JSON.stringify({ mmrpc: "2.0", result: { ticket: "t", streamer_id: JSON.parse(body).method } }));
    }
    const encoder = new TextEncoder();
    const n = ++opened;
    return new Response(new ReadableStream({ start: (stream) => void Promise.resolve().then(() => streams((text) => stream.enqueue(encoder.encode(text)), n)) }));
  };
  const client = connect({ url: "http://127.0.0.1:1", fetch: send });
  return { client, opened: () => opened };
}

const beat = (n) => `data: {"_type":"HEARTBEAT","message":{"n":${n}}}\r\n\r\n`;

test("events are whole however their bytes arrive", async (t) => {
  const [heard, all] = [[], Array.from({ length: 50 }, (_, n) => n)];
  const { client } = streaming(async (write) => {
    for (const character of all.map(beat).join("")) {
      write(character);
    }
  });
  t.after(() => client.stop());
  client.subscribe("HEARTBEAT", (event) => heard.push(event.message.n));
  await until(() => heard.length === all.length);
  assert.deepEqual(heard, all);
});

test("a flood of events leaves the program its turns", async (t) => {
  const [events, heard] = [20000, []];
  const { client } = streaming((write) => write(Array.from({ length: events }, (_, n) => beat(n)).join("")));
  t.after(() => client.stop());
  let work = 0;
  client.subscribe("HEARTBEAT", (event) => {
    heard.push(event.message.n);
    for (const end = performance.now() + 0.02; performance.now() < end; work++); // simulates rendering
  });
  let turns = 0;
  for (; heard.length < events; turns++) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.deepEqual(heard.slice(-2), [events - 2, events - 1], "none is lost");
  assert(turns > 10, `${turns} turns of the event loop for ${events} events`);
});

test("an event without an end and one that is no event end the stream, with the reason", async (t) => {
  for (const [name, write, want] of [
    ["no end", (write) => Array.from({ length: 20 }, () => write("data: ".padEnd(1 << 16, "x"))), /longer than 1048576 characters/],
    ["too long", (write) => write(`data: ${"x".repeat(1 << 20)}\n\n${beat(1)}`), /longer than 1048576 characters/],
    ["no JSON", (write) => write("data: {\n\n"), /JSON/],
    ["no type", (write) => write("data: null\n\n"), /_type/],
  ]) {
    const heard = [];
    const { client, opened } = streaming(write);
    client.subscribe("*", (event) => heard.push(event));
    await until(() => heard.length > 0, name);
    await new Promise((resolve) => setTimeout(resolve, 600)); // the delays after a stream that ended without an error are 250 ms
    assert.deepEqual([heard.length, heard[0]._type, opened()], [1, "ERROR:STREAM", 1], name);
    assert.match(heard[0].message, want, name);
    await client.stop();
  }
});

test("an answer that is too long is not read to its end", async () => {
  let sent = 0;
  const body = () => new ReadableStream({ pull: (stream) => void (sent++, stream.enqueue(new Uint8Array(1 << 20).fill(32))) });
  const client = connect({ url: "http://127.0.0.1:1", fetch: async () => new Response(body()) });
  await assert.rejects(client.rpc("version"), { kind: "BadAnswer", message: /longer than 16777216/ });
  assert(sent < 20, `${sent} MB were read`);
});
