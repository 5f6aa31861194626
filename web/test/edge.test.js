/** The parts of the edge's shell that need no platform. */

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

/** A body of so many bytes, in pieces of 64 kB, that ends when end is called. */
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

test("a body is received whole, or refused with its length", async () => {
  const bodies = new Bodies();
  const received = await bodies.receive(whole(200000), 0, 1 << 20);
  assert.equal(received.length, 200000);
  const value = received.bytes;
  assert(value.length === 200000 && value.every((byte) => byte === 7));
  received.release();
  assert.equal((await bodies.receive(whole(0), 0, 10)).bytes, null);
  for (const declared of [0, 200000]) {
    const { length, bytes } = await bodies.receive(whole(200000), declared, 100000);
    assert(length > 100000 && bytes === null);
  }
});

test("what is held together has a limit, and small bodies have one of their own", async () => {
  const bodies = new Bodies();
  const held = [];
  for (let n = 0; n < 3; n++) {
    held.push(await bodies.receive(whole(8 << 20), 0, 8 << 20));
  }
  const refused = () => assert.rejects(bodies.receive(whole(8 << 20), 0, 8 << 20), { status: 503 });
  await refused();
  const small = await bodies.receive(whole(1000), 0, 8 << 20);
  assert.equal(small.length, 1000, "an ordinary call passes");
  held.pop().release();
  held.push(await bodies.receive(whole(8 << 20), 0, 8 << 20));
  await refused();
  held.forEach((one) => {
    one.release();
    one.release(); // once or more
  });
  for (let n = 0; n < 3; n++) {
    await bodies.receive(whole(8 << 20), 0, 8 << 20);
  }
  await refused();
});

test("bodies that never end make room, the oldest first", async () => {
  const bodies = new Bodies();
  /** The status with which each body was refused. */
  const refused = [];
  const streams = [];
  const stall = async (bytes, turns) => {
    const { stream, finish } = body(bytes);
    const at = refused.push(null) - 1;
    const over = bodies.receive(stream, 0, 9 << 20).catch((error) => {
      refused[at] = error.status;
    });
    streams.push({ finish, over });
    for (let n = 0; n < turns; n++) {
      await new Promise(setImmediate); // while the pieces are read
    }
  };
  for (let n = 0; n < 3; n++) {
    await stall(8 << 20, 400);
  }
  const received = await bodies.receive(whole(8 << 20), 0, 8 << 20);
  assert.deepEqual(refused, [503, null, null]);
  received.release();
  for (let n = 0; n < 1024; n++) {
    await stall(16 << 10, 3);
  }
  const small = await bodies.receive(whole(1000), 0, 8 << 20);
  assert.equal(small.length, 1000);
  assert.deepEqual(refused.slice(0, 5), [503, null, null, 503, null], "a small body makes room for a small one");
  streams.forEach((one) => one.finish());
  await Promise.all(streams.map((one) => one.over));
});

test("a large body does not delay a small one", async () => {
  const bodies = new Bodies();
  assert.equal((await bodies.receive(whole(40 << 20), 0, 64 << 20)).length, 40 << 20);
  assert.equal((await bodies.receive(whole(1000), 0, 8 << 20)).length, 1000);
});

test("a body that is not sent in time is refused", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { stream } = body(100);
  const late = assert.rejects(new Bodies().receive(stream, 0, 1000), { status: 408 });
  await new Promise(setImmediate);
  t.mock.timers.tick(30000);
  await late;
});
