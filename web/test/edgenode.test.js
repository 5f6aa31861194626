/** The package's client with a node at the edge, in workerd, and the node's recovery after interruptions. */

import assert from "node:assert/strict";
import net from "node:net";
import { after, before, test } from "node:test";
import { connect } from "obverse";
import { configure, serveEdge } from "./edge.js";
import { owner, until } from "./support.js";

const password = "Edge-s3cret-word";
const chain = { ac_name: "EDGE", ac_supply: 1000, ac_reward: 100000000, ac_cc: 2, blockinterval: 0 };
const credential = { authorization: `Basic ${btoa(`any:${password}`)}` };

/** The workerd process that all tests share. @type {Awaited<ReturnType<typeof serveEdge>>} */
let edge;
/** Functions that stop it. @type {(() => unknown)[]} */
const ends = [];
before(async () => (edge = await serveEdge({ after: (end) => void ends.push(end) })));
after(() => Promise.all(ends.map((end) => end())));

let objects = 0;

/** Starts a node in a new Durable Object and returns a client of it. @param {import("node:test").TestContext} t */
async function serve(t) {
  const name = `n${objects++}`;
  const url = `${edge.url}/n/${name}`;
  await configure(edge.url, name, { passphrase: owner.passphrase, rpc_password: password, daemon: { rpcpassword: password }, chain });
  const client = connect({ url: `${url}/`, userpass: password, daemon: { url: `${url}/daemon`, user: "obverse", password } });
  t.after(() => client.stop());
  const ask = (path, options) => fetch(`${url}${path}`, options);
  const create = async (tokenName) => client.daemon("sendrawtransaction", (await client.daemon("tokencreate", tokenName, "10", "")).hex);
  return { client, url, printed: edge.printed, ask, create };
}

test("calls, events and refusals", async (t) => {
  const { client, url, create } = await serve(t);
  assert.deepEqual(await client.rpc("get_public_key"), { public_key: owner.publicKey });
  const id = await create("FIRST");
  await until(async () => (await client.daemon("tokenlist")).includes(id));
  await assert.rejects(client.daemon("nothing"), { name: "DaemonError", code: -32601 });

  const beats = [];
  client.subscribe("HEARTBEAT", (event) => beats.push(event));
  assert.deepEqual(await client.rpc("stream::heartbeat::enable", { config: { stream_interval_seconds: 0.1 } }), { streamer_id: "HEARTBEAT" });
  await until(() => beats.length > 1);
  assert.deepEqual(beats[0], { _type: "HEARTBEAT", message: {} });

  const unauthorized = connect({ url: `${url}/`, userpass: "wrong", daemon: { url: `${url}/daemon`, user: "obverse", password: "wrong" } });
  t.after(() => unauthorized.stop());
  await assert.rejects(unauthorized.rpc("get_public_key"), { name: "RpcError", kind: "UserpassIsInvalid", status: 403 });
  await assert.rejects(unauthorized.daemon("getinfo"), { status: 401 });
  await assert.rejects(client.daemon("stop"), /cannot be stopped by a request/);
  await client.stop();
  assert.equal((await fetch(`${url}/livez`)).status, 200, "the end of a client is not the node's");
});

test("a crash of the program ends the object, and the next call starts it again", async (t) => {
  const { client, ask, printed } = await serve(t);
  const key = await client.rpc("get_public_key");
  const answer = await ask("/__panic");
  assert.equal(answer.status, 500);
  assert.deepEqual(await answer.json(), { error: "the node did not answer, see the log of the Worker" });
  assert.deepEqual(await client.rpc("get_public_key"), key);
  assert.match(printed(), /panic: .*the node has failed: Error: the program ended with code 2/s);
});

test("a node whose storage failed writes again once there is room", async (t) => {
  const { client, ask, create } = await serve(t);
  const first = await create("FIRST");
  await until(async () => (await client.daemon("tokenlist")).includes(first));
  await ask("/__full");
  await assert.rejects(create("SECOND"));
  await ask("/__room");
  const third = await create("THIRD");
  await until(async () => (await client.daemon("tokenlist")).includes(third));
  assert((await client.daemon("tokenlist")).includes(first));
});

test("a store that no node can open replaces nothing", async (t) => {
  const { client, ask, create } = await serve(t);
  const first = await create("FIRST");
  await until(async () => (await client.daemon("tokenlist")).includes(first));
  for (const body of ["garbage", "*3\r\n$3\r\nset\r\n$1\r\nx\r\n$1\r\ny\r\n"]) {
    const answer = await ask("/backup", { method: "PUT", headers: credential, body });
    assert(!answer.ok, body);
    assert.deepEqual(await client.daemon("tokenlist"), [first]);
  }
});

test("an invalid URL is refused", async (t) => {
  const { ask } = await serve(t);
  for (const method of ["GET", "POST"]) {
    const answer = await ask("/%zz", { method });
    assert.equal(answer.status, 400);
    assert.deepEqual(await answer.json(), { error: "invalid request URL" });
  }
});

test("a slow upload of a large body does not block other clients", async (t) => {
  const { client, url } = await serve(t);
  await client.rpc("get_public_key");
  const { hostname, port, pathname } = new URL(url);
  const socket = net.connect(Number(port), hostname);
  t.after(() => socket.destroy());
  socket.write(`PUT ${pathname}/livez HTTP/1.1\r\nHost: ${hostname}\r\nContent-Length: ${40 << 20}\r\n\r\n`);
  let answered = false;
  // The request may be rejected before it is complete. workerd then resets the connection, and the
  // response may be lost.
  socket.on("error", () => {
    answered = true;
  });
  socket.on("data", () => {
    answered = true;
  });
  await Promise.race([new Promise((resolve) => socket.write(Buffer.alloc(30 << 20), resolve)), until(() => answered)]);
  for (let n = 0; n < 20; n++) {
    assert.deepEqual(await client.rpc("get_public_key"), { public_key: owner.publicKey });
  }
  await until(() => answered);
});
