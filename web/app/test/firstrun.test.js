import assert from "node:assert/strict";
import { test as plain } from "node:test";
import { validateMnemonic } from "@scure/bip39";
import { wordlist } from "@scure/bip39/wordlists/english.js";
import { init } from "obverse";
import { everythingOf } from "./everything.js";
import { secrets } from "./native.js";
import { button, first, heading, look, shownKey, shownWords, text } from "./steps.js";
import { isOpen, PASSWORD, restore, visit, WORDS } from "./support.js";

const test = (name, does) => plain(name, { timeout: 400000 }, does);

/** Returns the public key of a node with a passphrase. */
async function keyOf(config) {
  const node = await init({ config });
  try {
    return (await node.rpc("get_public_key")).public_key;
  } finally {
    await node.stop();
  }
}

test("a wallet is created: its words are shown, some are asked for, and they are the node's", async (t) => {
  const { page, said } = await first(t);
  await look(page, "firstrun-welcome");
  await button(page, /^Create a wallet/).click();
  await heading(page, "Recovery phrase");
  assert.doesNotMatch(await page.locator(".words").innerText(), /[a-z]/, "the words are hidden at first");
  assert(await button(page, "I have written them down").isDisabled());
  await look(page, "firstrun-words-hidden");
  const twelve = await shownWords(page, 12);
  assert.equal(twelve.length, 12);
  assert(validateMnemonic(twelve.join(" "), wordlist));
  await look(page, "firstrun-words");
  await page.getByLabel("24 words").check();
  const list = await shownWords(page, 24);
  assert(validateMnemonic(list.join(" "), wordlist));
  assert.notDeepEqual(list.slice(0, 12), twelve);
  await look(page, "firstrun-words24");

  await button(page, "I have written them down").click();
  await heading(page, "Confirm your recovery phrase");
  assert.equal(await page.locator(".words").count(), 0);
  // The browser's Back returns to the previous step, and the words stay the same.
  await page.goBack();
  await heading(page, "Recovery phrase");
  assert.deepEqual(await page.locator(".words li").allTextContents(), list);
  await page.goBack();
  await button(page, /^Create a wallet/).click();
  assert.notDeepEqual(await shownWords(page, 12), twelve);
  await page.goBack();
  await button(page, /^Create a wallet/).click();
  await page.getByLabel("24 words").check();
  list.splice(0, 24, ...(await shownWords(page, 24)));
  await button(page, "I have written them down").click();
  await heading(page, "Confirm your recovery phrase");
  const labels = await page.locator(".row label").allTextContents();
  assert.equal(labels.length, 3);
  assert.equal(new Set(labels).size, 3);
  await button(page, "Continue").click();
  assert.equal(await page.getByText("This word is missing.").count(), 3);
  await page.getByLabel(labels[0], { exact: true }).fill("nothing");
  await button(page, "Continue").click();
  assert.equal(await page.getByText("Wrong word.").count(), 1);
  assert.equal(await page.getByText("This word is missing.").count(), 2);
  await look(page, "firstrun-confirm");
  for (const label of labels) {
    await page.getByLabel(label, { exact: true }).fill(` ${list[Number(label.replace("Word ", "")) - 1].toUpperCase()} `);
  }
  await button(page, "Continue").click();
  await heading(page, "Choose a password");
  await text(page, "New password").fill("short");
  await button(page, "Create the wallet").click();
  await page.getByText("Use at least 8 characters.").waitFor();
  await look(page, "firstrun-password");
  await text(page, "New password").fill(PASSWORD);
  await page.getByText("Use at least 8 characters.").waitFor({ state: "detached" });
  await button(page, "Create the wallet").click();
  await isOpen(page);
  assert.equal(await shownKey(page), await keyOf({ passphrase: list.join(" "), enable_hd: true }));
  const all = [await everythingOf(page), ...said].join("\n");
  for (const secret of [list.join(" "), list.slice(0, 3).join(" "), list.slice(0, 3).join("\n"), PASSWORD]) {
    assert(!all.includes(secret), "a secret is in the page");
  }
  assert.deepEqual(said, []);
});

test("a recovery phrase is accepted in any formatting, and errors in it are shown", async (t) => {
  const { page, said } = await first(t, "some/where/");
  await button(page, /^Restore a wallet/).click();
  const words = text(page, "Recovery phrase or private key");
  const list = WORDS.split(" ");
  for (const [given, says] of [
    ["", "Enter your recovery phrase or a private key."],
    ["hello", "These words are not valid. Check the spelling and the order."],
    ["0x1234", "A private key has 64 hexadecimal digits. This one has 4:"],
    [`0x${"0C".repeat(32)}`, "This is not a usable private key"],
    [list.with(2, "thanks").join(" "), "Word 3 of 12 is not a recovery word. Check the spelling."],
    [list.slice(1).join(" "), "You entered 11 words. A recovery phrase has 12, 15, 18, 21 or 24."],
    [list.with(11, "thank").join(" "), "Invalid recovery phrase: a word is wrong, or in the wrong place."],
  ]) {
    await words.fill(given);
    await button(page, "Continue").click();
    await page.getByText(says).waitFor();
  }
  await look(page, "firstrun-misspelt");
  assert.equal(await text(page, "New password").count(), 0);
  await words.fill(list.map((word, n) => `${n + 1}. “${word.toUpperCase()}”,`).join("\n\u200b"));
  assert(!(await words.inputValue()).includes("\u200b"), "what cannot be seen is not there");
  await button(page, "Continue").click();
  await text(page, "New password").fill(PASSWORD);
  await button(page, "Show: New password").click();
  assert.equal(await text(page, "New password").getAttribute("type"), "text");
  await button(page, "Restore the wallet").click();
  await isOpen(page);
  assert.equal(await shownKey(page), await keyOf({ passphrase: WORDS, enable_hd: true }));
  assert.deepEqual(said, []);
});

test("words of an old Komodo wallet are one key for all", async (t) => {
  const { page } = await first(t);
  await button(page, /^Restore a wallet/).click();
  await page.getByText("Old Komodo wallet").click();
  await text(page, "Passphrase").fill(WORDS.replaceAll(" ", "\n"));
  await button(page, "Open as a passphrase").click();
  await text(page, "New password").fill(PASSWORD);
  await button(page, "Restore the wallet").click();
  await isOpen(page);
  assert.equal(await shownKey(page), await keyOf({ passphrase: WORDS }));
});

test("a private key is restored with and without 0x; the passphrase of an old Komodo wallet has an entry of its own, and half a key is refused there too", async (t) => {
  const { page, said } = await first(t);
  const digits = "b8c774f071de08c7fd8f62b97f1a5726f6ce9f1bcf141b70b86689254ed6714e";
  await button(page, /^Restore a wallet/).click();
  const words = text(page, "Recovery phrase or private key");
  for (const key of [`0x${digits}`, ` ${digits.toUpperCase()}\n`]) {
    await words.fill(key);
    await button(page, "Continue").click();
    await text(page, "New password").waitFor();
    await button(page, "Back").click();
  }
  await page.getByText("Old Komodo wallet").click();
  const old = text(page, "Passphrase");
  const open = button(page, "Open as a passphrase");
  for (const [given, says] of [
    ["", "Enter the passphrase."],
    ["0x1234", "This one has 4:"],
    [digits.slice(0, 32), "This one has 32:"],
    [`${digits}0`, "This one has 65:"],
    [`0x${"0".repeat(64)}`, "This is not a usable private key"],
  ]) {
    await old.fill(given);
    await open.click();
    await page.getByText(says).waitFor();
    assert.equal(await text(page, "New password").count(), 0, given);
  }
  await old.fill("bob passphrase ");
  await page.getByText("The space at the beginning or end is a part of the passphrase.").waitFor();
  await look(page, "firstrun-passphrase");
  await button(page, "Back").click();
  await restore(page, { passphrase: secrets.passphrase });
  assert.equal(await shownKey(page), secrets.publicKey);
  assert.deepEqual(said, []);
});

test("an external wallet needs no secret and no password", async (t) => {
  const { page, said } = await first(t);
  await button(page, /^Use an external wallet/).click();
  await heading(page, "Use an external wallet");
  await look(page, "firstrun-external");
  await button(page, "Continue").click();
  await isOpen(page);
  assert.equal(await button(page, "Lock").count(), 0);
  await page.reload();
  await isOpen(page);
  await visit(page, "settings", "Settings");
  await page.getByText("Peer ID").waitFor();
  assert.equal(await page.getByText("Show recovery phrase").count(), 0);
  assert.deepEqual(said, []);
});

test("the keyboard alone makes a wallet", async (t) => {
  const { page } = await first(t);
  const press = async (...keys) => {
    for (const key of keys) {
      await page.keyboard.press(key);
    }
  };
  const focus = () => page.evaluate(() => document.activeElement?.textContent || document.activeElement?.id);
  await press("Tab");
  assert.match(await focus(), /^Create a wallet/);
  await press("Enter");
  await heading(page, "Recovery phrase");
  await page.waitForFunction(() => document.activeElement?.tagName === "H1");
  await press("Tab", "Tab", "Enter");
  const list = await shownWords(page, 12);
  await press("Tab", "Enter");
  await heading(page, "Confirm your recovery phrase");
  for (const label of await page.locator(".row label").allTextContents()) {
    await press("Tab");
    await page.keyboard.type(list[Number(label.replace("Word ", "")) - 1]);
  }
  await press("Enter");
  await heading(page, "Choose a password");
  await press("Tab");
  await page.keyboard.type(PASSWORD);
  await press("Enter");
  await isOpen(page);
});

test("the next field has the focus at once, so that no keystroke is lost", async (t) => {
  const { page } = await first(t);
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60000);
  const focused = () => page.evaluate(() => document.activeElement?.tagName);
  await button(page, /^Create a wallet/).click();
  await heading(page, "Recovery phrase");
  assert.equal(await focused(), "H1");
  assert.equal(await page.title(), "Recovery phrase · Obverse");
  await button(page, "Back").click();
  await button(page, /^Restore a wallet/).click();
  await heading(page, "Restore a wallet");
  assert.equal(await focused(), "TEXTAREA");
  await button(page, "Back").click();
  await button(page, /^Connect to a node/).click();
  await heading(page, "Connect to a node");
  await button(page, "Connect").click();
  assert(await page.getByRole("textbox", { name: "rpc_password" }).evaluate((input) => input === document.activeElement && input.ariaInvalid === "true"), "the field that is wrong has the focus");
});
