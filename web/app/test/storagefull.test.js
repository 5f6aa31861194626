/** The page's behaviour when the browser rejects writes because its storage is full: operations that only read still work. */

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test as plain } from "node:test";
import { folder, open } from "../../test/support.js";
import { load } from "./module.js";
import { changeProfile, readProfile, seed } from "./seed.js";
import { button, heading, shownKey, text } from "./steps.js";
import { built, checkAccess, isOpen, PASSWORD, restore, serveApp, until, visit, WORDS } from "./support.js";
import { publicKeyOf } from "./traces.js";

const test = (name, does) => plain(name, { timeout: 400000 }, does);

const WATCHED = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";

/**
 * Opens a locked wallet in a browser with a profile. restart closes the browser and starts it again
 * with the same profile.
 * @param {import("node:test").TestContext} t
 */
async function storedWallet(t) {
  /** @type {{root: string, missing?: RegExp}} */
  const from = { root: built };
  const site = await serveApp({}, 1, from);
  let context;
  const profile = folder(t, async () => {
    await context.close();
    await site.close();
  });
  const start = async () => {
    await context?.close();
    context = await open(profile);
    return context;
  };
  const page = await (await start()).newPage();
  await page.goto(`${site.url}theme.js`);
  await seed(page, { passphrase: WORDS, password: PASSWORD });
  /** Deletes the site's data, like a user in the browser's settings. */
  const clear = async () => {
    const session = await context.newCDPSession(context.pages().at(-1));
    await session.send("Storage.clearDataForOrigin", { origin: new URL(site.url).origin, storageTypes: "all" });
    await session.detach();
  };
  return { context, page, url: site.url, restart: start, clear, from };
}

/**
 * Opens a locked wallet, and another one that watches an address, in a browser that rejects further writes to its databases. The browser
 * caches its quota for a while, so it is started after the wallets were created.
 */
async function full(t) {
  const { page: first, url, restart } = await storedWallet(t);
  await changeProfile(first, { others: [{ kind: "watch", watched: WATCHED, id: "f00d", name: "Watched", made: 2, colour: 1 }] });
  await first.goto(url);
  await unlock(first);
  await isOpen(first);

  const context = await restart();
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send("Storage.overrideQuotaForOrigin", { origin: new URL(url).origin, quotaSize: 1 });
  await page.goto(url);
  await heading(page, "Unlock");
  await assert.rejects(changeProfile(page, {}), /QuotaExceededError/, "the storage is full");
  return { context, page, url };
}

async function unlock(page, password = PASSWORD) {
  await text(page, "Password").fill(password);
  await button(page, "Unlock").click();
}

test("with full storage, wrong passwords are counted, and the right one opens the wallet", async (t) => {
  const { context, page, url } = await full(t);
  await unlock(page);
  await isOpen(page);
  await button(page, "Lock").click();
  await heading(page, "Unlock");
  for (let n = 1; n <= 4; n++) {
    await unlock(page, `wrong ${n}`);
    await page.getByText(n < 4 ? /^Wrong password\.$/ : /there is a pause: \d+ s/).waitFor();
    await until(async () => (await text(page, "Password").inputValue()) === "");
  }
  await page.reload();
  await page.getByText(/there is a pause: \d+ s/).waitFor();
  const second = await context.newPage();
  await second.goto(url);
  await unlock(second);
  await isOpen(second);
  await visit(second, "settings", "Settings");
  await second.getByText("Show recovery phrase", { exact: true }).click();
  const show = second.getByRole("button", { name: "Show", exact: true });
  await text(second.locator("form", { has: show }), "Password").fill(PASSWORD);
  await show.click();
  await second.getByText(WORDS).waitFor();
  await button(second, "Lock").click();
  await heading(second, "Unlock");
  await second.reload();
  await heading(second, "Unlock");
  assert.equal(await second.getByText("Locked in another tab.").count(), 0);
});

test("with full storage, a wallet stays open if the browser does not store that another one is in use", async (t) => {
  const { page } = await full(t);
  await unlock(page);
  await isOpen(page);
  await button(page, /^Wallet: /).click();
  const list = page.getByRole("dialog", { name: "Wallets" });
  await list.getByRole("button", { name: /^Watched/ }).first().click();
  await list.getByText("Browser storage for this page is full.").waitFor();
  await page.keyboard.press("Escape");
  await isOpen(page);
  await visit(page, "settings", "Settings");
  await page.locator('dt:text-is("Peer ID") + dd .groups').waitFor();
});

test("a setting that the browser does not store is lost when the page is closed, and not before", async (t) => {
  const stored = new Map([["obverse.theme", "light"]]);
  let isFull = true;
  globalThis.localStorage = {
    getItem: (name) => stored.get(name) ?? null,
    setItem: (name, value) => {
      if (isFull) {
        throw new DOMException("full", "QuotaExceededError");
      }
      stored.set(name, value);
    },
  };
  t.after(() => delete globalThis.localStorage);
  const { recall, recalled, remember } = await load("memory.ts");
  const upper = (value) => value?.toUpperCase();
  assert.equal(recalled("theme", upper), "LIGHT");
  remember("theme", "dark");
  assert.deepEqual([recall("theme"), recalled("theme", upper), stored.get("obverse.theme")], ["dark", "DARK", "light"]);
  isFull = false;
  remember("theme", "light");
  assert.deepEqual([recall("theme"), stored.get("obverse.theme")], ["light", "light"]);
});

/**
 * Checks the warning in a tab whose wallet the browser has deleted, once the user returns to it.
 * @param {import("playwright-core").Page} page
 */
async function warned(page) {
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
  const warning = page.getByRole("dialog", { name: "This browser has deleted your wallet" });
  await warning.waitFor();
  return warning;
}

test("a wallet whose data the browser has deleted opens with its password, and can be stored again", async (t) => {
  const { context, page, url, clear } = await storedWallet(t);
  await page.goto(url);
  await unlock(page);
  await isOpen(page);
  await clear();
  await button(page, "Lock").click();
  await heading(page, "Unlock");
  await unlock(page);
  await isOpen(page);
  await page.reload();
  await heading(page, "Unlock");
  await unlock(page);
  await isOpen(page);
  await clear();
  const warning = await warned(page);
  await button(warning, "Store again").click();
  await warning.waitFor({ state: "detached" });
  await page.reload();
  await heading(page, "Unlock");

  const other = await context.newPage();
  await other.goto(`${url}theme.js`);
  await other.evaluate(() => new BroadcastChannel("obverse-wallet").postMessage("wiping"));
  await clear();
  await unlock(page);
  await page.locator(".fault").waitFor(); // data that the user deletes in another tab stays deleted
  await page.reload();
  await button(page, "Create a wallet").waitFor();
});

test("pending payments and other settings are stored again with a wallet that the browser has deleted", async (t) => {
  const { page, url, clear } = await storedWallet(t);
  const list = `obverse.sent.${(await readProfile(page)).page.publicKey.slice(0, 16)}`;
  const pending = { coin: "ATOM", to: ["cosmos1x"], amount: "1", hash: "H", hex: "aa", height: null };
  const stored = (name) => page.evaluate((key) => localStorage.getItem(key), name);
  await page.evaluate(([name, text]) => localStorage.setItem(name, text), [list, JSON.stringify([pending])]);
  await page.evaluate(() => localStorage.setItem("obverse.idle", "30"));
  await page.goto(url);
  await unlock(page);
  await isOpen(page);
  await clear();
  await until(async () => (await stored(list)) === null, "the browser has deleted it");
  const warning = await warned(page);
  await button(warning, "Store again").click();
  await warning.waitFor({ state: "detached" });
  assert.deepEqual([JSON.parse((await stored(list)) ?? "null"), await stored("obverse.idle")], [[pending], "30"]);
});

const SECOND = "abandon math mimic master filter design carbon crystal rookie group knife young";
const OTHER_PASSWORD = "another quiet battery";
const keyIn = async (page) => (await shownKey(page)).replaceAll(/\s/g, "");

/** Opens a tab with a wallet that the browser has deleted, and another tab in which another wallet was stored since. */
async function replaced(t) {
  const { page, url, clear, ...more } = await storedWallet(t);
  await page.goto(url);
  await unlock(page);
  await isOpen(page);
  await clear();
  const other = await more.context.newPage();
  await other.goto(url);
  await restore(other, { passphrase: SECOND, password: OTHER_PASSWORD });
  const warning = page.getByRole("dialog", { name: "This browser has deleted your wallet" });
  await warning.waitFor();
  return { page, other, url, warning, ...more };
}

test("a tab keeps a wallet that the browser has deleted when another tab stores another one, and can store it next to that one", async (t) => {
  const { page, other, url, warning, restart } = await replaced(t);
  await checkAccess(page);
  await page.keyboard.press("Escape");
  await warning.waitFor({ state: "detached" });
  await isOpen(page);
  assert.equal(await keyIn(page), publicKeyOf(WORDS, true));
  assert.equal(await keyIn(other), publicKeyOf(SECOND, true));
  await other.reload();
  await isOpen(other);
  assert.equal(await keyIn(other), publicKeyOf(SECOND, true), "each tab has its own");

  await button(await warned(page), "Store again").click();
  await warning.waitFor({ state: "detached" });
  for (const tab of [page, other]) {
    await isOpen(tab);
    await until(async () => (await keyIn(tab)) === publicKeyOf(WORDS, true), "all tabs have the wallet that was stored again");
  }

  const again = await (await restart()).newPage();
  await again.goto(url);
  await unlock(again);
  await isOpen(again);
  assert.equal(await keyIn(again), publicKeyOf(WORDS, true));
  await button(again, "Wallet: Wallet 2. Switch wallets").click();
  await again.getByRole("dialog", { name: "Wallets" }).getByRole("button", { name: /^Wallet 1/ }).first().click();
  await heading(again, "Unlock");
  await unlock(again, OTHER_PASSWORD);
  await isOpen(again);
  assert.equal(await keyIn(again), publicKeyOf(SECOND, true));
});

test("a wallet that the browser has deleted is removed from its tab if the user wants that", async (t) => {
  const { page, other, warning } = await replaced(t);
  await warning.getByText("Remove this wallet").first().click();
  await warning.getByLabel("I have its recovery phrase and want to remove it").check();
  await button(warning, "Remove this wallet").click();
  await warning.waitFor({ state: "detached" });
  await isOpen(page);
  assert.equal(await keyIn(page), publicKeyOf(SECOND, true));
  await button(page, "Lock").click();
  await heading(other, "Unlock");
});

test("settings of a wallet that is stored stay when its deleted record is removed from a tab", async (t) => {
  const { page, url, context, clear } = await storedWallet(t);
  const gone = { kind: "passphrase", id: "0a", name: "Travel", made: 4, publicKey: `02${"ab".repeat(32)}`, vault: { salt: [4], iv: [4], data: [], iterations: 1 } };
  await changeProfile(page, { others: [gone] });
  const { publicKey } = (await readProfile(page)).page;
  await page.goto(url);
  await unlock(page);
  await isOpen(page);
  await clear();
  const other = await context.newPage();
  await other.goto(url);
  await restore(other, { passphrase: SECOND, password: OTHER_PASSWORD });
  await changeProfile(other, { others: [{ ...gone, id: "0123456789abcdef", name: "Wallet 2", publicKey }] });
  const list = `obverse.sent.${publicKey.slice(0, 16)}`;
  await other.evaluate((name) => localStorage.setItem(name, "[]"), list);
  const warning = await warned(page);
  await warning.getByText("Remove this wallet").first().click();
  await warning.getByText("Travel", { exact: true }).waitFor();
  await warning.getByLabel("I have its recovery phrase and want to remove it").check();
  await button(warning, "Remove this wallet").click();
  await warning.waitFor({ state: "detached" });
  await isOpen(page);
  assert.equal(await other.evaluate((name) => localStorage.getItem(name), list), "[]");
});

/** A node API that accepts any password, and the passwords that it received. */
async function anyNode(t) {
  const passwords = new Set();
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const piece of request) {
      body += piece;
    }
    body && passwords.add(JSON.parse(body).userpass);
    response.writeHead(200, { "Access-Control-Allow-Origin": "*", "Access-Control-Allow-Headers": "Authorization, Content-Type", "Access-Control-Allow-Methods": "*", "Content-Type": "application/json" });
    response.end(JSON.stringify({ mmrpc: "2.0", result: { coins: [] }, id: null }));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${/** @type {import("node:net").AddressInfo} */ (server.address()).port}/`, passwords };
}

for (const origin of [{ origin: "earlier" }, {}]) {
  test(`a wallet that the browser has deleted is kept with its native node, whose password no other node gets${origin.origin ? "" : "; without an origin"}`, async (t) => {
    const [first, second] = [await anyNode(t), await anyNode(t)];
    const { context, page, url, clear } = await storedWallet(t);
    await changeProfile(page, { use: "native", native: { url: first.url }, ...origin });
    const native = (tab) => tab.locator(".status").filter({ hasText: "Native node" }).waitFor();
    await page.goto(url);
    await text(page, "rpc_password").fill("password of the first");
    await page.getByRole("button", { name: /Connect|Unlock/ }).first().click();
    await native(page);
    await clear();
    const other = await context.newPage();
    await other.goto(url);
    await other.getByRole("button", { name: /^Connect to a node/ }).click();
    await other.getByRole("textbox", { name: "Address of the node", exact: true }).fill(second.url);
    await text(other, "rpc_password").fill("password of the second");
    await button(other, "Connect").click();
    await native(other);
    const warning = await warned(page);
    await button(warning, "Store again").click();
    await warning.waitFor({ state: "detached" });
    await native(page);
    const stored = await readProfile(page);
    assert.deepEqual([stored.use, stored.native.url], ["native", first.url]);
    assert(stored.page.vault);
    assert(!second.passwords.has("password of the first") && !first.passwords.has("password of the second"));
  });
}

test("a wallet that the browser has deleted is not kept when the user deletes everything in another tab", async (t) => {
  const { page, other } = await replaced(t);
  await visit(other, "settings", "Settings");
  await other.getByText("Delete everything here", { exact: true }).first().click();
  await other.getByLabel("I have my recovery phrase and want to delete everything here").check();
  await other.getByRole("button", { name: "Delete", exact: true }).click();
  for (const tab of [other, page]) {
    await heading(tab, "Welcome to Obverse");
  }
  assert.deepEqual(await page.evaluate(async () => (await indexedDB.databases()).map(({ name }) => name).filter((name) => name?.startsWith("obverse-"))), ["obverse-page"]);
  assert.equal(await readProfile(page), undefined);
});

test("the warning that the browser has deleted a wallet needs nothing from the server, and a page with the only copy asks before it is closed", async (t) => {
  const { context, page, url, clear, from } = await storedWallet(t);
  const loaded = page.waitForResponse(/\/seldom-/);
  await page.goto(url);
  await unlock(page);
  await isOpen(page);
  await (await loaded).finished();
  from.missing = /\/assets\//; // the server has another build
  const session = await context.newCDPSession(page);
  await session.send("Network.clearBrowserCache");
  await clear();
  const warning = await warned(page);
  await page.keyboard.press("Escape");
  await warning.waitFor({ state: "detached" });
  /** @type {string[]} */
  const asks = [];
  page.on("dialog", (dialog) => (asks.push(dialog.type()), dialog.dismiss()));
  await page.close({ runBeforeUnload: true });
  await until(() => asks.length > 0, "the browser asks");
  assert.deepEqual(asks, ["beforeunload"]);
  await page.evaluate(() => (location.hash = "#/lightning"));
  await heading(page, "Not loaded");
  from.missing = undefined;
  await button(page, "Try again").click();
  await heading(page, "Lightning");
  assert.equal(asks.length, 1, "the page is not reloaded");

  await button(await warned(page), "Store again").click();
  await warning.waitFor({ state: "detached" });
  await page.reload();
  await heading(page, "Unlock");
  assert.equal(asks.length, 1, "a wallet that is stored needs no question");
});
