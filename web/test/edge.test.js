/** The parts of the edge's shell that do not need a platform. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Bodies } from "../worker/bodies.js";
import { isPage } from "../worker/page.js";
import { nameOf, names, settingsOf } from "../worker/settings.js";

test("a node gets its own variables, and the first one also those without a name", () => {
  const env = { NODES: "main, my-games", CONFIG: { chain: { ac_name: "ONE" } }, OBVERSE_PASSPHRASE: "one", OBVERSE_PASSPHRASE_MY_GAMES: "two", OTHER: "not passed on" };
  assert.deepEqual(names(env), ["main", "my-games"]);
  assert.deepEqual(settingsOf(env, "main"), { CONFIG: '{"chain":{"ac_name":"ONE"}}', OBVERSE_PASSPHRASE: "one" });
  assert.deepEqual(settingsOf(env, "my-games"), { OBVERSE_PASSPHRASE: "two" }, "no secret of another node");
  assert.deepEqual(names({}), ["main"]);
  for (const NODES of ["", "a,", "A", "a_b", "-a", "a".repeat(32), "n/x"]) {
    assert.throws(() => names({ NODES }), /is not a name/, NODES);
  }
});

test("an object finds its name by its id alone", () => {
  const env = { NODES: "main,games", NODE: { idFromName: (name) => ({ toString: () => `id of ${name}`, name }) } };
  assert.equal(nameOf(env, { toString: () => "id of games" }), "games");
  assert.throws(() => nameOf(env, { toString: () => "id of another" }), /NODES: this object's name is missing/);
});

test("GET requests get the page, except on the node's own paths", () => {
  assert(isPage("GET", "/") && isPage("HEAD", "/assets/x.js"));
  for (const [method, path] of [["POST", "/"], ["GET", "/livez"], ["GET", "/event-stream"], ["PUT", "/backup"], ["GET", "/daemon"]]) {
    assert(!isPage(method, path), path);
  }
});

/** Returns a body of the given size in pieces of 64 kB. It ends when end is called. */
function body(bytes) {
  let left = bytes;
  let finish = () => {};
  const ended = new Promise((resolve) => {
    finish = resolve;
  });
  const stream = new ReadableStream({
    async pull(controller) {
      if (left > 0) {
        const piece = Math.min(left, 65536);
        left -= piece;
        controller.enqueue(new Uint8Array(piece).fill(7));
        return;
      }
      await ended;
      controller.close();
    },
  });
  return { stream, finish };
}

const whole = (bytes) => {
  const { stream, finish } = body(bytes);
  finish();
  return stream;
};

const LIMIT = 8 << 20;

/** Starts to receive a body, by default for an address without other requests. */
let addresses = 0;
function receive(bodies, stream, { declared = 0, limit = LIMIT, address = `address ${addresses++}` } = {}) {
  const of = bodies.of(stream, declared, address);
  return { of, received: of.receive(limit, 30000) };
}

/** Receives a body and returns it without releasing it. */
async function held(bodies, bytes, options) {
  const { of, received } = receive(bodies, whole(bytes), options);
  assert.equal((await received).length, bytes);
  return of;
}

test("a body is received whole, or refused because of its length", async () => {
  const bodies = new Bodies();
  const { of, received } = receive(bodies, whole(200000), { limit: 1 << 20 });
  const value = await received;
  assert(value.length === 200000 && value.every((byte) => byte === 7));
  assert.equal(await of.receive(1 << 20, 30000), value, "once");
  of.release();
  assert.equal((await receive(bodies, whole(0), { limit: 10 }).received).length, 0);
  for (const declared of [0, 200000]) {
    await assert.rejects(receive(bodies, whole(200000), { declared, limit: 100000 }).received, { status: 413, message: "request body too large: the limit is 100000 bytes" });
  }
});

test("what is held together has a limit, and small bodies have one of their own", async () => {
  const bodies = new Bodies();
  const all = [];
  for (let n = 0; n < 3; n++) {
    all.push(await held(bodies, 8 << 20));
  }
  const refused = () => assert.rejects(receive(bodies, whole(8 << 20)).received, { status: 503 });
  await refused();
  await held(bodies, 1000); // an ordinary call is accepted
  all.pop().release();
  all.push(await held(bodies, 8 << 20));
  await refused();
  all.forEach((one) => {
    one.release();
    one.release(); // releasing it more than once has no effect
  });
  for (let n = 0; n < 3; n++) {
    await held(bodies, 8 << 20);
  }
  await refused();
});

/** Starts to receive a body that does not end. Returns the statuses of rejected bodies. */
function stalling(bodies) {
  const refused = [];
  const streams = [];
  const stall = async (bytes, turns, options) => {
    const { stream, finish } = body(bytes);
    const at = refused.push(null) - 1;
    const { received } = receive(bodies, stream, options);
    streams.push({
      finish,
      over: received.catch((error) => {
        refused[at] = error.status;
      }),
    });
    for (let n = 0; n < turns; n++) {
      await new Promise(setImmediate); // lets the pieces be read
    }
  };
  const end = () => {
    streams.forEach((one) => one.finish());
    return Promise.all(streams.map((one) => one.over));
  };
  return { refused, stall, end };
}

test("bodies that never end make room, the oldest first", async () => {
  const bodies = new Bodies();
  const { refused, stall, end } = stalling(bodies);
  for (let n = 0; n < 3; n++) {
    await stall(8 << 20, 400, { limit: 9 << 20 });
  }
  (await held(bodies, 8 << 20)).release();
  assert.deepEqual(refused, [503, null, null]);
  for (let n = 0; n < 1024; n++) {
    await stall(16 << 10, 3);
  }
  await held(bodies, 1000);
  assert.deepEqual(refused.slice(0, 5), [503, null, null, 503, null], "a small body makes room for a small one");
  await end();
});

test("requests whose bodies do not come make room too", async () => {
  const bodies = new Bodies();
  const { refused, stall, end } = stalling(bodies);
  for (let n = 0; n < 4096; n++) {
    await stall(0, 0);
  }
  assert.equal(refused.find(Boolean), undefined);
  await stall(0, 3);
  assert.deepEqual(refused.slice(0, 2), [503, null]);
  await end();
});

test("a body whose caller waits makes room, and one that works does not", async () => {
  const bodies = new Bodies();
  const cut = [];
  const all = [];
  for (let n = 0; n < 1024; n++) {
    const one = await held(bodies, 16 << 10);
    one.wait(() => cut.push(n));
    all.push(one);
  }
  assert.equal(all[0].work(), true, "the first has its turn");
  await held(bodies, 1000);
  assert.deepEqual(cut, [1]);
  assert.equal(all[1].work(), false, "its caller has been refused");
  all[2].prove();
  for (let n = 0; n < 3; n++) {
    await held(bodies, 16 << 10);
  }
  assert.deepEqual(cut, [1, 3, 4, 5], "one that has shown a password makes no room");
});

test("an address has a share, in which its own bodies make room", async () => {
  const bodies = new Bodies();
  const other = await held(bodies, 16 << 10);
  other.wait(() => assert.fail("a body of another address made room"));
  const cut = [];
  const flood = { address: "203.0.113.5" };
  for (let n = 0; n < 257; n++) {
    (await held(bodies, 16 << 10, flood)).wait(() => cut.push(n));
  }
  assert.deepEqual(cut, [0], "the share is a quarter");
  const proven = bodies.of(whole(16 << 10), 0, flood.address);
  proven.prove();
  assert.equal((await proven.receive(LIMIT, 30000)).length, 16 << 10);
  assert.deepEqual(cut, [0], "a client that has shown a password has no share");
  const large = await held(bodies, 8 << 20, flood);
  await assert.rejects(receive(bodies, whole(8 << 20), flood).received, { status: 503 });
  await held(bodies, 8 << 20);
  large.release();
  await held(bodies, 8 << 20, flood);
});

test("a large body does not delay a small one", async () => {
  const bodies = new Bodies();
  await held(bodies, 40 << 20, { limit: 64 << 20 });
  await held(bodies, 1000);
});

test("a body that is not sent in time is refused", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { stream } = body(100);
  const late = assert.rejects(receive(new Bodies(), stream, { limit: 1000 }).received, { status: 408 });
  await new Promise(setImmediate);
  t.mock.timers.tick(30000);
  await late;
});

test("the end of a refused body has the reason, and one that breaks off is refused", async () => {
  const bodies = new Bodies();
  const broken = (controller) => controller.error(new Error("the client is gone"));
  await assert.rejects(receive(bodies, new ReadableStream({ pull: broken })).received, { status: 400, message: "request body truncated" });
  // workerd rejects pending reads of a stream that is cancelled. Streams in Node end instead.
  let fail = () => {};
  const reader = { read: () => new Promise((resolve, reject) => (fail = reject)), cancel: async () => fail(new Error("Stream was cancelled.")) };
  const { of, received } = receive(bodies, { getReader: () => reader });
  of.drop();
  await assert.rejects(received, { status: 503 });
});
