/** Wallet files, and the reminder of a recovery phrase that was not written down. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test as plain } from "node:test";
import { init } from "obverse";
import { button, first, heading, look, shownKey, shownWords, text } from "./steps.js";
import { publicKeyOf } from "./traces.js";
import { folder, isOpen, PASSWORD, visit, wallet, WORDS } from "./support.js";

const test = (name, does) => plain(name, { timeout: 400000 }, does);

const compact = (/** @type {string} */ key) => key.replaceAll(/\s/g, "");

/** Returns the recovery phrase in a file, read by a node's named wallets, which use the format of Komodo DeFi Framework. */
async function phraseOf(t, passphrase, password) {
  const node = await init({ config: { passphrase, wallet_name: "imported", wallet_password: password, allow_weak_password: true }, storage: "memory" });
  t.after(() => node.stop());
  return (await node.rpc("get_mnemonic", { format: "plaintext", password })).mnemonic;
}

test("a wallet is exported as a file that its password opens, here and in a node, and imported at the first run", async (t) => {
  const { page, said } = await wallet(t);
  await visit(page, "settings", "Settings");
  await page.getByText("Export an encrypted file").click();
  const password = text(page, "Password of the wallet and its file");
  await password.fill("not the password");
  await button(page, "Save the file").click();
  await page.getByText("Wrong password.").waitFor();
  await password.fill(PASSWORD);
  const download = page.waitForEvent("download");
  await button(page, "Save the file").click();
  const file = path.join(folder(t), "wallet.json");
  const saved = await download;
  assert.equal(saved.suggestedFilename(), "Wallet-1.json");
  await saved.saveAs(file);
  await page.locator("main").getByText("Saved as Wallet-1.json.").waitFor();
  await look(page, "export-file");
  const written = readFileSync(file, "utf8");
  assert(!WORDS.split(" ").some((word) => written.includes(word)), "no word is in clear");
  assert.deepEqual(Object.keys(JSON.parse(written)), ["version", "encryption_algorithm", "key_derivation_details", "iv", "ciphertext", "tag"]);
  assert.equal(await phraseOf(t, JSON.parse(written), PASSWORD), WORDS);
  assert.deepEqual(said, []);

  const other = await first(t);
  const next = other.page;
  await button(next, /^Restore a wallet/).click();
  await next.getByText("Import a wallet file").click();
  await button(next, "Open the file").click();
  await next.getByText("Choose a file.").waitFor();
  await next.getByText("Enter the password of the file.").waitFor();
  const choose = (/** @type {string} */ name, /** @type {string} */ content) => next.getByLabel("Wallet file", { exact: true }).setInputFiles({ name, mimeType: "application/json", buffer: Buffer.from(content) });
  await text(next, "Password of the file").fill(PASSWORD);
  for (const [name, content] of [["notes.txt", "no JSON"], ["list.json", "[]"], ["other.json", '{"version":1}']]) {
    await choose(name, content);
    await text(next, "Password of the file").fill(PASSWORD);
    await button(next, "Open the file").click();
    await next.getByText(`${name} is not a wallet file`).waitFor();
  }
  await choose("wallet.json", written);
  await text(next, "Password of the file").fill("not the password");
  await button(next, "Open the file").click();
  await next.getByText("Wrong password, or wallet.json is damaged.").waitFor();
  await look(next, "import-file");
  await text(next, "Password of the file").fill(PASSWORD);
  await button(next, "Open the file").click();
  await text(next, "New password").fill("another quiet battery");
  await button(next, "Restore the wallet").click();
  await isOpen(next);
  assert.equal(compact(await shownKey(next)), publicKeyOf(WORDS, true));
  assert.deepEqual(other.said, []);
});

test("who writes the recovery phrase down later is reminded until it is done", async (t) => {
  const { page } = await first(t);
  await button(page, /^Create a wallet/).click();
  const words = await shownWords(page, 12);
  await button(page, "Do this later").click();
  await text(page, "New password").fill(PASSWORD);
  for (const slip of ["", `${PASSWORD}y`]) {
    await text(page, "Repeat the password").fill(slip);
    await button(page, "Create the wallet").click();
    await page.getByText("The passwords differ.").waitFor();
  }
  await look(page, "firstrun-repeat");
  await text(page, "Repeat the password").fill(PASSWORD);
  await button(page, "Create the wallet").click();
  await isOpen(page);
  const reminder = page.getByText("Your recovery phrase is not backed up.");
  await reminder.waitFor();
  await look(page, "reminder");
  await page.reload();
  await isOpen(page);
  await reminder.waitFor();
  await page.getByRole("link", { name: "Back it up now" }).click();
  await heading(page, "Settings");
  await page.getByText("Show recovery phrase").click();
  await page.getByRole("textbox", { name: "Password", exact: true }).fill(PASSWORD);
  await page.locator("form", { has: page.getByRole("textbox", { name: "Password", exact: true }) }).locator("button[type=submit]").click();
  await page.getByText(words.join(" ")).waitFor();
  await button(page, "I have written them down").click();
  await reminder.waitFor({ state: "hidden" });
  await visit(page, "", "Home");
  assert.equal(await reminder.count(), 0);
});
