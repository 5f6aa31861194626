/** The session of a tab that unlocks the wallet while another tab unlocks it too. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./module.js";

/** The browser: the records of its database, and the secrets of another tab, which responds on the test's command. */
const browser = { records: new Map(), asked: () => {}, answer: () => {} };
globalThis.keptTest = browser;
Object.defineProperty(navigator, "locks", { value: { query: async () => ({ held: [{ name: "obverse-session/theirs" }] }), request: async (_name, _options, act) => act() }, configurable: true });

const { openSession, keepSession, sessionName } = await load("session/kept.ts", {
  "/db.ts": `
    const { records } = globalThis.keptTest;
    export const get = async (name) => records.get(name);
    export const put = async (name, value) => void records.set(name, value);
    export const remove = async (...names) => names.forEach((name) => records.delete(name));`,
  "/crypto.ts": "export const canEncrypt = () => true;",
  "/handover.ts": `
    export const answerTabs = () => {};
    export const askTabs = () => new Promise((resolve) => {
      globalThis.keptTest.answer = resolve;
      globalThis.keptTest.asked();
    });`,
  "/idle.ts": "export const isOver = () => false;",
  "/worker.ts": "export const claim = async () => null, drop = () => {}, hold = () => {}, prepare = () => {};",
  "/memory.ts": "export const recallInTab = () => null, rememberInTab = () => {};",
});

test("a session that another tab opens at the same time does not end that of this tab", async () => {
  browser.records.set("open", "theirs");
  const asked = new Promise((resolve) => (browser.asked = resolve));
  const joining = openSession(); // as if another tab had opened the wallet
  await asked;
  const own = { page: { passphrase: "x", hd: false, of: "" } };
  await keepSession(own); // the user enters the password in this tab too
  browser.answer({ page: { passphrase: "x", hd: false, of: "" } });
  assert.deepEqual(await joining, own);
  assert.deepEqual(await openSession(), own);
  assert.notEqual(await sessionName(), "theirs");
});
