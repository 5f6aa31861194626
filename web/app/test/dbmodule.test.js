/** The page's database when the browser does not respond. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./module.js";

test("a database that does not open is an error after a while, and is closed if it opens later", async (t) => {
  const requests = [];
  globalThis.indexedDB = { open: () => requests[requests.push({}) - 1] };
  globalThis.DOMException ??= Error;
  t.after(() => delete globalThis.indexedDB);
  const { get, openExisting } = await load("session/db.ts");
  t.mock.timers.enable({ apis: ["setTimeout"] });
  for (const open of [() => get("profile"), () => openExisting("old")]) {
    const opening = open();
    t.mock.timers.tick(60_000);
    await assert.rejects(opening, { kind: "StoreError", message: /does not respond/ });
    let closed = false;
    Object.assign(requests.at(-1), { result: { close: () => (closed = true) } }).onsuccess();
    await new Promise(setImmediate);
    assert.equal(closed, true);
  }
});
