/** Passwords that are chosen: how strong they are, and which are refused. */

import assert from "node:assert/strict";
import { test as plain } from "node:test";
import { writeOld } from "./oldwallet.js";
import { button, first, look, text } from "./steps.js";
import { browser, isOpen, PASSWORD, visit, wallet, WORDS } from "./support.js";

const test = (name, does) => plain(name, { timeout: 400000 }, does);

/** Passwords that programs guess first, and why. */
const guessable = {
  aaaaaaaa: "Repeated characters are easy to guess.",
  password1: "It is a common password.",
  qwertyuiop: "It is a common password.",
  abcdefgh: "Sequences such as abc or 123 are easy to guess.",
  Jennifer1987: "It is much like a common password.",
};

test("a password that is easy to guess opens no new wallet, and the page says why", async (t) => {
  const { page, said } = await first(t);
  await button(page, /^Restore a wallet/).click();
  await text(page, "Words or passphrase").fill(WORDS);
  await button(page, "Go on").click();
  const field = text(page, "New password");
  for (const [password, why] of Object.entries(guessable)) {
    await field.fill(password);
    await page.getByText("Strength: easy to guess.").waitFor();
    await button(page, "Restore the wallet").click();
    await page.getByText(`This password is easy to guess. ${why}`).waitFor();
    assert.equal(await field.getAttribute("aria-invalid"), "true");
  }
  await look(page, "password");
  await field.fill("Sunflower1!");
  await page.getByText("Strength: weak.").waitFor();
  assert.equal(await page.getByText("This password is easy to guess.").count(), 0, "it is another password by now");
  await field.fill(PASSWORD);
  await page.getByText("Strength: strong.").waitFor();
  await button(page, "Restore the wallet").click();
  await isOpen(page);
  assert.deepEqual(said, []);
});

test("no wallet changes its password to one that is easy to guess", async (t) => {
  const { page } = await wallet(t, { hash: "#/settings" });
  await visit(page, "settings", "Settings");
  await page.getByText("Change the password").click();
  await text(page, "Present password").fill(PASSWORD);
  await text(page, "New password").fill("aaaaaaaa");
  await button(page, "Change").click();
  await page.getByText("This password is easy to guess. Repeated characters are easy to guess.").waitFor();
  await button(page, "Lock").click();
  await text(page, "Password").fill(PASSWORD);
  await button(page, "Unlock").click();
  await isOpen(page);
});

test("a wallet that has such a password opens with it", async (t) => {
  const { context, url } = await browser(t);
  const page = await context.newPage();
  await page.goto(`${url}theme.js`);
  await writeOld(page, 1, "aaaaaaaa");
  await page.goto(url);
  await button(page, "I have read this").click();
  await text(page, "Password").fill("aaaaaaaa");
  await button(page, "Unlock").click();
  await isOpen(page);
});

test("the list of passwords is loaded only where one is chosen", async (t) => {
  const { page } = await first(t);
  const loaded = () => page.evaluate(() => performance.getEntriesByType("resource").some(({ name }) => name.includes("/strength-")));
  await button(page, /^Restore a wallet/).click();
  await text(page, "Words or passphrase").fill(WORDS);
  assert.equal(await loaded(), false);
  await button(page, "Go on").click();
  await text(page, "New password").fill(PASSWORD);
  await page.getByText("Strength: strong.").waitFor();
  assert.equal(await loaded(), true);
});
