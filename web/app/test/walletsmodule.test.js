/** Wallets in the browser's records that a tab has not read: those of another tab, and of an earlier version of the page. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./module.js";

/** The records of the page and of its earlier version, the profile that a tab has read, and the stores that were removed. */
const browser = { records: new Map(), old: new Map(), profile: { value: null, peek: () => browser.profile.value }, removed: [], wiped: false };
globalThis.walletsTest = browser;

const db = `
  const { records, old } = globalThis.walletsTest;
  export const EXPOSED = "exposed", OLD_NAME = "old", NAME = "page";
  export const get = async (name) => records.get(name);
  export const put = async (name, value) => void records.set(name, value);
  export const remove = async (name) => void records.delete(name);
  export const update = async (name, change) => records.set(name, change(records.get(name))).get(name);
  export const openExisting = async () => ({ close() {} });
  export const read = async (_, name) => old.get(name);`;

const wallet = (byte, more = {}) => ({ kind: "passphrase", vault: { iv: new Uint8Array([byte]), data: new ArrayBuffer(1), salt: new Uint8Array([byte]), iterations: 1 }, ...more });
const page = (first, ...others) => ({ use: "page", page: first, ...(others.length > 0 && { others }) });

test("a wallet of the page's earlier version stays, also if this version has one already", async () => {
  const { migrate } = await load("session/legacy.ts", { "/db.ts": db, "/scrub.ts": "export const scrub = async () => void globalThis.walletsTest.old.clear();" });
  const moved = async (old, now) => {
    browser.old.set("profile", old);
    browser.records.clear();
    now && browser.records.set("profile", now);
    await migrate();
    assert.equal(browser.old.size, 0);
    return browser.records.get("profile");
  };
  const [first, second, third] = [wallet(1), wallet(2), wallet(3, { id: "a" })];
  const { origin, ...alone } = await moved(page(first, third));
  assert.match(origin, /^[0-9a-f]{16}$/);
  assert.deepEqual(alone, page(first, third));
  const { others, ...now } = await moved(page(first, third), page(second));
  assert.deepEqual(now, page(second), "the one in use stays in use, with its data");
  assert.deepEqual(others.map(({ vault }) => vault.salt[0]).sort(), [1, 3]);
  assert.equal(new Set([undefined, ...others.map(({ id }) => id)]).size, 3, "each has data of its own");
  assert.deepEqual(await moved(page(first), page(second, { ...first, id: "b" })), page(second, { ...first, id: "b" }), "a repeated migration adds nothing");
  const [known, changed] = [wallet(4, { publicKey: "02" }), wallet(5, { publicKey: "02" })];
  assert.deepEqual(await moved(page(known), page(changed)), page(changed), "nor one whose password was changed");
  assert.deepEqual(await moved({ use: "native", native: { url: "n" } }, page(second)), { ...page(second), native: { url: "n" } });
  assert.deepEqual(await moved(new Uint8Array(9), page(second)), page(second), "overwritten records are no profile");
});

const stubs = {
  "/db.ts": db,
  "/memory.ts": "export const forgetAll = () => {}, forgetOf = () => {}, restoreDeleted = () => {};",
  "/node.ts": "export const stop = async () => {}, publicKeyOf = stop, connection = {}, replaced = {};",
  "/attempts.ts": "export const forgetWrong = async () => {};",
  "/crypto.ts": "export const lockAway = async () => {};",
  "/kept.ts": "export const closeSession = async () => {}, keepSession = async () => {}, openSession = async () => null;",
  "/reveal.ts": "export const reveal = async () => {};",
  "/session.ts": `
    const { records, profile } = globalThis.walletsTest;
    export { profile };
    export const store = async (change) => records.set("profile", change(records.get("profile"))).get("profile");
    export const save = async (change) => (profile.value = await store(change));
    export const [phase, lockedBy] = [{ peek: () => "open" }, {}];
    export const announceOpened = () => {}, begin = async () => {}, open = begin, restart = () => {};`,
  "/tabs.ts": "export const tell = () => {};",
  "/wipe.ts": `
    const { removed } = globalThis.walletsTest;
    export const removeStore = async (store) => void removed.push(store), removeStores = async (stores) => void removed.push(...stores);`,
  "/worker.ts": "export const removeWorker = async () => {};",
  "/scrub.ts": "export const scrub = async () => void (globalThis.walletsTest.wiped = true);",
};

test("a tab that missed what another tab did removes no other wallet, and all of them if asked", async () => {
  const { removeWallet, wipe } = await load("session/wallets.ts", stubs);
  const [first, second] = [wallet(1), wallet(2, { id: "b", made: 5 })];
  browser.profile.value = page(first);
  browser.records.set("profile", page(first, second));
  await removeWallet("");
  assert.equal(browser.wiped, false);
  assert.deepEqual(browser.removed.splice(0), ["obverse"]);
  assert.deepEqual(browser.records.get("profile"), page(second));

  browser.profile.value = page(first);
  await assert.rejects(removeWallet(""), /removed in another tab/);
  assert.deepEqual(browser.removed, []);

  browser.records.set("profile", page(second, first));
  await wipe();
  assert.equal(browser.wiped, true);
  assert.deepEqual(new Set(browser.removed.splice(0)), new Set(["obverse", "obverse-b"]));

  browser.records.clear(); // the user has deleted the site's data
  browser.wiped = false;
  await removeWallet("");
  assert.equal(browser.wiped, true);
});

test("a tab keeps its wallets when it changes records that the browser has deleted, unless the user deletes them", async (t) => {
  Object.assign(globalThis, { document: { addEventListener() {} }, addEventListener() {} });
  t.after(() => delete globalThis.document);
  const { store, profile } = await load("session/session.ts", {
    "/db.ts": db,
    "/node.ts": "export const state = { value: {}, peek: () => ({}) }, stop = async () => {}, replaced = {}, tryNative = stop, startNative = stop, startPage = stop;",
    "/kept.ts": "export const closeSession = async () => {}, isShared = () => false, keepSession = closeSession, leaveSession = () => {}, openSession = async () => null, heldSecrets = () => undefined, restSession = () => {}, whyGone = async () => null;",
    "/tabs.ts": "export const tell = () => {}, hear = (listeners) => void (globalThis.walletsTest.listeners = listeners);",
    "/idle.ts": "export const touch = () => {}, watch = () => {};",
    "/linktoken.ts": "export const takeToken = () => null;",
    "/memory.ts": "export const forgetAll = () => {}, forgetOf = () => {}, restoreDeleted = () => {};",
    "/wipe.ts": "export const removeStore = async () => {};",
    "/worker.ts": "export const keepLoaded = async () => {};",
    "/legacy.ts": "",
    "/onetime.ts": "",
  });
  const [first, second] = [wallet(1), wallet(2, { id: "b", made: 5 })];
  profile.value = page(first, second);
  const toNative = (before) => ({ ...before, use: "native", native: { url: "n" } });
  browser.records.clear();
  const { origin: made, ...rest } = await store(toNative);
  assert.deepEqual(rest, { ...page(first, second), use: "native", native: { url: "n" } });
  assert(made, "records that are stored for the first time have an origin");

  profile.value = page(first, second);
  browser.records.set("profile", { ...page(wallet(3)), origin: "later" });
  const { page: used, others } = await store((before) => before);
  assert.deepEqual(used.vault, first.vault);
  assert.deepEqual(others.map(({ vault: { salt }, id }) => [salt[0], id]).sort(), [[2, "b"], [3, undefined]]);
  assert.equal(used.id, "01", "its data are not those of the wallet that was stored meanwhile");
  assert.equal((await store((before) => before)).page, used);

  profile.value = { ...page(first), origin: "later" };
  browser.records.set("profile", { ...page(wallet(3)), origin: "later" });
  assert.deepEqual(await store((before) => before), { ...page(wallet(3)), origin: "later" }, "a wallet that was removed in another tab stays removed");
  profile.value = page(first, second);
  browser.listeners.wiping();
  browser.records.clear();
  const { origin: _, ...left } = await store(toNative);
  assert.deepEqual(left, { use: "native", native: { url: "n" } });
});

test("accounts that are stored again are apart from those of another wallet, and no account replaces a wallet", async () => {
  const { apart, joined } = await load("session/join.ts", {});
  const [mine, other] = [{ publicKey: "0211111111111111111" }, { publicKey: "0322222222222222222" }];
  const [account, stored] = [wallet(1, { ...mine, id: "+1" }), wallet(2, other)];
  const { page: renamed, others } = apart(page(account, wallet(1, { ...mine, id: "+2" })), page(stored));
  assert.deepEqual([renamed, ...others].map(({ id }) => id), ["0211111111111111+1", "0211111111111111+2"], "all accounts of a wallet have a new id");
  assert.deepEqual(apart(page(account), page(wallet(3, mine))).page, account, "an account of the same wallet keeps its id");
  assert.deepEqual(joined(page(stored), page(account)).others.map(({ id }) => id), ["0211111111111111+1"]);

  const { addAccount, switchTo } = await load("session/wallets.ts", {
    ...stubs,
    "/kept.ts": `export const closeSession = async () => {}, keepSession = closeSession, openSession = async () => ({ page: { hd: true, of: "" } });`,
  });
  browser.profile.value = page(stored, account); // as earlier versions have stored it
  browser.records.set("profile", browser.profile.value);
  await addAccount(() => "Savings");
  const all = browser.records.get("profile");
  assert.equal(all.page.id, "+2");
  assert.deepEqual(all.others.map(({ publicKey }) => publicKey).sort(), [mine.publicKey, other.publicKey]);
  browser.records.set("profile", page(stored, account, wallet(3, { id: "+1", publicKey: "0433333333333333333" })));
  browser.profile.value = browser.records.get("profile");
  await assert.rejects(switchTo("+1"), /another wallet has this id/);
});
