/** Wallets from before November 2026, when the key of the open session was stored next to the wallet. */

import assert from "node:assert/strict";
import { test as plain } from "node:test";
import { open } from "../../test/support.js";
import { button, text } from "./steps.js";
import { browser, checkAccess, folder, isOpen, PASSWORD, picture, restore, serveApp, until, WORDS } from "./support.js";
import { writeOld } from "./oldwallet.js";
import { openedIn } from "./traces.js";

const test = (name, does) => plain(name, { timeout: 400000 }, does);

/**
 * Makes the browser move its data from the log to a table, by writing bytes that cannot begin a key.
 * @param {import("playwright-core").Page} page
 */
const writeMore = (page) =>
  page.evaluate(async () => {
    const done = (request) => new Promise((resolve, reject) => Object.assign(request, { onsuccess: () => resolve(request.result), onerror: () => reject(request.error) }));
    const request = indexedDB.open("more", 1);
    request.onupgradeneeded = () => request.result.createObjectStore("records");
    const db = await done(request);
    for (let n = 0; n < 150; n++) {
      await done(db.transaction("records", "readwrite").objectStore("records").put(crypto.getRandomValues(new Uint8Array(40_000)).map((byte) => byte & 0x3f), n));
    }
    db.close();
  });

for (const where of ["in the log", "in tables"]) {
  test(`data of an earlier page is removed from the browser's files, ${where}; its wallet opens, and the user is informed once`, async (t) => {
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
    // The browser continues to write to its files after it has reported the deletion.
    await until(() => openedIn(profile).keys === 0, "no key is left in the browser's files");
    assert.deepEqual(openedIn(profile).opened, []);
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

test("a user without an earlier wallet is not informed", async (t) => {
  const { context, url, said } = await browser(t);
  const page = await context.newPage();
  await page.goto(url);
  await restore(page);
  await page.reload();
  await isOpen(page);
  assert.equal(await page.locator("dialog").count(), 0);
  assert.deepEqual(said, []);
});
