/** New passwords: their strength, and the ones that are rejected. */

import assert from "node:assert/strict";
import { test as plain } from "node:test";
import { load } from "./module.js";
import { writeOld } from "./oldwallet.js";
import { button, first, look, text } from "./steps.js";
import { browser, isOpen, PASSWORD, restored, visit, wallet, WORDS } from "./support.js";

const test = (name, does) => plain(name, { timeout: 400000 }, does);

/** Passwords that are guessed first, with the reason. */
const guessable = {
  aaaaaaaa: "Repeated characters are easy to guess.",
  password1: "It is a common password.",
  qwertyuiop: "It is a common password.",
  abcdefgh: "Sequences such as abc or 123 are easy to guess.",
  Jennifer1987: "It is similar to a common password.",
};

test("a password that is easy to guess opens no new wallet, and the page says why", async (t) => {
  const { page, said } = await first(t);
  await button(page, /^Restore a wallet/).click();
  await text(page, "Recovery phrase or private key").fill(WORDS);
  await button(page, "Continue").click();
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
  await text(page, "Current password").fill(PASSWORD);
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

plain("a password is as strong as the text that its key is derived from, and one of any length is soon looked at", async () => {
  const { strengthOf } = await load("strength.ts");
  for (const common of ["password1", "qwertyuiop"]) {
    const wide = [...common].map((letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0)).join("");
    assert.equal(wide.normalize("NFKC"), common);
    assert.deepEqual(strengthOf(wide), strengthOf(common));
  }
  const random = Array.from(crypto.getRandomValues(new Uint8Array(9936)), (byte) => String.fromCharCode(33 + (byte % 90))).join("");
  assert.deepEqual(strengthOf("a".repeat(64) + random), strengthOf("a".repeat(64)), "no more than 64 characters are looked at");
  assert.equal(strengthOf(random).score, 4);
});

test("a password of 10,000 characters opens the wallet that was made with it, however a keyboard writes é and spaces", async (t) => {
  const password = "Vélos à l'été ".repeat(714);
  const { page, said } = await restored(t, { password: password.normalize("NFC") });
  for (const typed of [password.normalize("NFD"), password.replaceAll(" ", "\u00a0")]) {
    await button(page, "Lock").click();
    await text(page, "Password").fill(typed);
    await button(page, "Unlock").click();
    await isOpen(page);
  }
  assert.deepEqual(said, []);
});

test("eight characters are counted as the key is derived from them", async (t) => {
  const { page } = await first(t);
  await button(page, /^Restore a wallet/).click();
  await text(page, "Recovery phrase or private key").fill(WORDS);
  await button(page, "Continue").click();
  await text(page, "New password").fill("éàüô".normalize("NFD"));
  await button(page, "Restore the wallet").click();
  await page.getByText("Use at least 8 characters.").waitFor();
});

test("the list of passwords is loaded only where one is chosen", async (t) => {
  const { page } = await first(t);
  const loaded = () => page.evaluate(() => performance.getEntriesByType("resource").some(({ name }) => name.includes("/strength-")));
  await button(page, /^Restore a wallet/).click();
  await text(page, "Recovery phrase or private key").fill(WORDS);
  assert.equal(await loaded(), false);
  await button(page, "Continue").click();
  await text(page, "New password").fill(PASSWORD);
  await page.getByText("Strength: strong.").waitFor();
  assert.equal(await loaded(), true);
});
