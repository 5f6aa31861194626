/** Wallets of before November 2026, whose open session had its key written beside it. */

import assert from "node:assert/strict";
import { test as plain } from "node:test";
import { open } from "../../test/support.js";
import { button, text } from "./steps.js";
import { browser, checkAccess, folder, isOpen, PASSWORD, picture, restore, serveApp, WORDS } from "./support.js";
import { openedIn } from "./traces.js";

const test = (name, does) => plain(name, { timeout: 400000 }, does);

/**
 * Writes what the page wrote then, in an empty page of the same site.
 * @param {import("playwright-core").Page} page
 * @param {number} sessions how many were opened
 */
const writeOld = (page, sessions) =>
  page.evaluate(
    async ({ passphrase, password, sessions }) => {
      const [bytes, random] = [(value) => new TextEncoder().encode(value), (length) => crypto.getRandomValues(new Uint8Array(length))];
      const done = (request) => new Promise((resolve, reject) => Object.assign(request, { onsuccess: () => resolve(request.result), onerror: () => reject(request.error) }));
      const seal = async (key, value) => {
        const iv = random(12);
        return { iv, data: await crypto.subtle.encrypt({ name: "AES-GCM", iv }, key, bytes(JSON.stringify(value))) };
      };
      const AES = { name: "AES-GCM", length: 256 };
      const secret = { passphrase, hd: true };
      const salt = random(16);
      const material = await crypto.subtle.importKey("raw", bytes(password), "PBKDF2", false, ["deriveKey"]);
      const key = await crypto.subtle.deriveKey({ name: "PBKDF2", hash: "SHA-256", salt, iterations: 600_000 }, material, AES, false, ["encrypt", "decrypt"]);
      const vault = { ...(await seal(key, secret)), salt, iterations: 600_000 };
      const request = indexedDB.open("obverse-wallet", 1);
      request.onupgradeneeded = () => request.result.createObjectStore("records");
      const db = await done(request);
      const store = () => db.transaction("records", "readwrite", { durability: "strict" }).objectStore("records");
      await done(store().put({ use: "page", page: { kind: "passphrase", vault } }, "profile"));
      for (let n = 0; n < sessions; n++) {
        const own = await crypto.subtle.generateKey(AES, false, ["encrypt", "decrypt"]);
        await done(store().put({ id: crypto.randomUUID(), key: own, secrets: await seal(own, { page: secret }) }, "session"));
      }
      db.close();
    },
    { passphrase: WORDS, password: PASSWORD, sessions },
  );

/** Has the browser move what it has from its log to a table. @param {import("playwright-core").Page} page */
const writeMore = (page) =>
  page.evaluate(async () => {
    const done = (request) => new Promise((resolve, reject) => Object.assign(request, { onsuccess: () => resolve(request.result), onerror: () => reject(request.error) }));
    const request = indexedDB.open("more", 1);
    request.onupgradeneeded = () => request.result.createObjectStore("records");
    const db = await done(request);
    for (let n = 0; n < 150; n++) {
      await done(db.transaction("records", "readwrite").objectStore("records").put(crypto.getRandomValues(new Uint8Array(40_000)), n));
    }
    db.close();
  });

for (const where of ["in the log", "in tables"]) {
  test(`what an earlier page left in the browser's files is removed, ${where}; its wallet opens, and the user is told once`, async (t) => {
    const profile = folder(t, async () => {
      await context.close();
      await site.close();
    });
    const site = await serveApp();
    let context = await open(profile);
    let page = await context.newPage();
    await page.goto(`${site.url}theme.js`);
    await writeOld(page, 10);
    if (where === "in tables") {
      await writeMore(page);
      await writeOld(page, 10);
      await writeMore(page);
    }
    assert.match(openedIn(profile).opened.join(), new RegExp(WORDS), "what is found opens the wallet");
    await context.close();
    context = await open(profile);
    page = await context.newPage();
    await page.goto(site.url);
    await page.getByText("Your wallet may have been readable").waitFor();
    await checkAccess(page);
    await picture(page, "exposed");
    const { keys, opened } = openedIn(profile);
    assert.deepEqual({ keys, opened }, { keys: 0, opened: [] });
    assert.deepEqual(await page.evaluate(async () => (await indexedDB.databases()).map(({ name }) => name).filter((name) => name?.startsWith("obverse-"))), ["obverse-page"]);
    await page.keyboard.press("Escape");
    await page.reload();
    await page.getByText("Your wallet may have been readable").waitFor();
    await button(page, "I have read this").click();
    await text(page, "Password").fill(PASSWORD);
    await button(page, "Unlock").click();
    await isOpen(page);
    await page.reload();
    await isOpen(page);
    assert.equal(await page.getByText("Your wallet may have been readable").count(), 0);
    await context.close();
    assert.deepEqual(openedIn(profile).opened, []);
  });
}

test("who had no wallet before is not told of it", async (t) => {
  const { context, url, said } = await browser(t);
  const page = await context.newPage();
  await page.goto(url);
  await restore(page);
  await page.reload();
  await isOpen(page);
  assert.equal(await page.locator("dialog").count(), 0);
  assert.deepEqual(said, []);
});
