/** The data that an attacker can find in the browser's files without the password. */

import assert from "node:assert/strict";
import { test as plain } from "node:test";
import { open, until } from "../../test/support.js";
import { button, heading, text } from "./steps.js";
import { folder, isOpen, PASSWORD, restore, serveApp, visit } from "./support.js";
import { openedIn, secretsOf, tracesOf } from "./traces.js";

const test = (name, does) => plain(name, { timeout: 400000 }, does);

/** A phrase in which no word occurs twice, so that a compressed file contains all of them unchanged. */
const WORDS = "abandon math mimic master filter design carbon crystal rookie group knife young";

const unlock = async (page) => {
  await heading(page, "Unlock");
  await text(page, "Password").fill(PASSWORD);
  await button(page, "Unlock").click();
  await isOpen(page);
};

test("no file of the browser opens the wallet without the password, whatever is done", async (t) => {
  const profile = folder(t, async () => {
    await context.close();
    await site.close();
  });
  const secrets = { ...secretsOf(WORDS), password: PASSWORD };
  const check = (/** @type {string} */ when) => {
    const found = openedIn(profile);
    assert.deepEqual({ traces: tracesOf(profile, secrets), keys: found.keys, opened: found.opened }, { traces: [], keys: 0, opened: [] }, when);
    return found;
  };
  const site = await serveApp();
  let context = await open(profile);
  let page = await context.newPage();
  await page.goto(site.url);
  await restore(page, { passphrase: WORDS });
  check("after it was restored");
  for (const [name, title] of [["settings", "Settings"], ["receive", "Receive"], ["", "Home"]]) {
    await visit(page, name, title);
  }
  await page.reload();
  await isOpen(page);
  const second = await context.newPage();
  await second.goto(site.url);
  await isOpen(second);
  check("after a reload and another tab");
  await second.close();
  await button(page, "Lock").click();
  await heading(page, "Unlock");
  check("after it was locked");
  await unlock(page);
  await context.close();
  assert(check("after the browser was closed").sealed > 0, "what the password opens is found in the files");
  context = await open(profile);
  page = await context.newPage();
  await page.goto(site.url);
  await unlock(page);
  await visit(page, "settings", "Settings");
  await button(page, "Delete everything here").click();
  await page.getByLabel(/I have my recovery phrase/).check();
  await button(page, /^Delete$/).click();
  await heading(page, "Welcome to Obverse");
  check("after all was deleted");
  await context.close();
  check("after all was deleted and the browser closed");
});

test("what is typed is in no file by which the browser restores tabs after a crash", async (t) => {
  const profile = folder(t, async () => {
    await context.close();
    await site.close();
  });
  const site = await serveApp();
  const context = await open(profile);
  const page = await context.newPage();
  await page.goto(site.url);
  /** Waits until the browser has written the current content of forms, by a field that is not secret. */
  const written = async (/** @type {string} */ canary) => {
    await page.evaluate(() => document.body.append(Object.assign(document.createElement("input"), { id: "canary" })));
    await page.locator("#canary").fill(canary);
    await until(() => tracesOf(profile, { canary }).length > 0, "the browser writes what forms have");
    await page.evaluate(() => document.querySelector("#canary")?.remove());
  };
  await button(page, /^Restore a wallet/).click();
  await text(page, "Recovery phrase or private key").fill(WORDS);
  await written("words are typed");
  await button(page, "Continue").click();
  await text(page, "New password").fill(PASSWORD);
  await button(page, "Show: New password").click();
  await written("the password is shown");
  await button(page, "Restore the wallet").click();
  await isOpen(page);
  await button(page, "Lock").click();
  await text(page, "Password").fill(PASSWORD);
  await button(page, "Show: Password").click();
  await written("the password is shown again");
  await button(page, "Unlock").click();
  await isOpen(page);
  await visit(page, "console", "Console");
  await page.locator("textarea").fill(JSON.stringify({ passphrase: WORDS }));
  await written("words are typed in the console");
  assert.deepEqual(tracesOf(profile, { ...secretsOf(WORDS), password: PASSWORD }), []);
});
