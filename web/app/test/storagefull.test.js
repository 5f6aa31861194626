/** What the page does when the browser refuses writes because its storage is full: whatever only reads goes on. */

import assert from "node:assert/strict";
import { test as plain } from "node:test";
import { folder, open } from "../../test/support.js";
import { load } from "./module.js";
import { button, heading, text } from "./steps.js";
import { changeProfile, seed } from "./seed.js";
import { isOpen, PASSWORD, serveApp, until, visit, WORDS } from "./support.js";

const test = (name, does) => plain(name, { timeout: 400000 }, does);

const WATCHED = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";

/**
 * A locked wallet, and another one that watches an address, in a browser that accepts no more writes to its databases. A browser remembers for a
 * while how much it accepts, so it is started after the wallets were made.
 */
async function full(t) {
  const site = await serveApp();
  let context;
  const profile = folder(t, async () => {
    await context.close();
    await site.close();
  });
  context = await open(profile);
  const first = await context.newPage();
  await first.goto(`${site.url}theme.js`);
  await seed(first, { passphrase: WORDS, password: PASSWORD });
  await changeProfile(first, { others: [{ kind: "watch", watched: WATCHED, id: "f00d", name: "Watched", made: 2, colour: 1 }] });
  await first.goto(site.url);
  await unlock(first);
  await isOpen(first);
  await context.close();

  context = await open(profile);
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send("Storage.overrideQuotaForOrigin", { origin: new URL(site.url).origin, quotaSize: 1 });
  await page.goto(site.url);
  await heading(page, "Unlock");
  await assert.rejects(changeProfile(page, {}), /QuotaExceededError/, "the storage is full");
  return { context, page, url: site.url };
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

test("a wallet whose data the browser has deleted opens with its password, and can be stored again", async (t) => {
  const site = await serveApp();
  let context;
  const profile = folder(t, async () => {
    await context.close();
    await site.close();
  });
  context = await open(profile);
  const page = await context.newPage();
  await page.goto(`${site.url}theme.js`);
  await seed(page, { passphrase: WORDS, password: PASSWORD });
  await page.goto(site.url);
  await unlock(page);
  await isOpen(page);
  const session = await context.newCDPSession(page);
  const clear = () => session.send("Storage.clearDataForOrigin", { origin: new URL(site.url).origin, storageTypes: "all" });
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
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
  const warning = page.getByRole("dialog", { name: "This browser has deleted your wallet" });
  await button(warning, "Store again").click();
  await warning.waitFor({ state: "detached" });
  await page.reload();
  await heading(page, "Unlock");

  const other = await context.newPage();
  await other.goto(`${site.url}theme.js`);
  await other.evaluate(() => new BroadcastChannel("obverse-wallet").postMessage("wiping"));
  await clear();
  await unlock(page);
  await page.locator(".fault").waitFor(); // what the user deletes in another tab stays deleted
  await page.reload();
  await button(page, "Create a wallet").waitFor();
});
