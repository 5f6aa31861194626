/** Several wallets in one page: adding, switching, renaming and removing them. */

import assert from "node:assert/strict";
import { test as plain } from "node:test";
import { sharing } from "../../test/sharing.js";
import { folder as profileFolder, open } from "../../test/support.js";
import { nativeNode, secrets } from "./native.js";
import { writeOld } from "./oldwallet.js";
import { button, heading, look, shownKey, text } from "./steps.js";
import { changeProfile } from "./seed.js";
import { openedIn, publicKeyOf, secretsOf, tracesOf } from "./traces.js";
import { browser, isOpen, PASSWORD, restore, serveApp, visit, wallet, WORDS } from "./support.js";

const SECOND = "abandon math mimic master filter design carbon crystal rookie group knife young";
const OTHER_PASSWORD = "another quiet battery";

const keyOf = (/** @type {string} */ words) => publicKeyOf(words, true);
const compact = (/** @type {string} */ key) => key.replaceAll(/\s/g, "");

/** Opens the list of wallets. @param {import("playwright-core").Page} page */
async function wallets(page) {
  await button(page, /^Wallet: /).click();
  const dialog = page.getByRole("dialog", { name: "Wallets" });
  await dialog.waitFor();
  return dialog;
}

/** @param {import("playwright-core").Page} page @param {string | RegExp} name */
async function switchTo(page, name) {
  const dialog = await wallets(page);
  await dialog.getByRole("button", { name }).first().click();
  await dialog.waitFor({ state: "hidden" });
}

const unlock = async (page, password = PASSWORD) => {
  await heading(page, "Unlock");
  await text(page, "Password").fill(password);
  await button(page, "Unlock").click();
};

/** Adds a wallet by its recovery phrase. */
async function add(page, passphrase, password = OTHER_PASSWORD) {
  const list = await wallets(page);
  assert.equal(await list.locator(".actions button:not(.secondary)").count(), 0, "the list counts, and no button stands out");
  await button(list, "Add a wallet").click();
  await heading(page, "Another wallet");
  await restore(page, { passphrase, password });
  await heading(page, "Home"); // whichever view was open before
}

const peer = async (page) => {
  await visit(page, "settings", "Settings");
  return page.locator('dt:text-is("Peer ID") + dd .groups').textContent();
};

const test = sharing("a wallet as pages kept it that knew one only, and others", (t) => wallet(t));

test("a second wallet is added; switching locks one and opens the other, in all tabs, each with data of its own", async (t, { page, context, url, said }) => {
  const first = await peer(page);
  assert.equal(await button(page, /^Wallet: /).getAttribute("aria-label"), "Wallet: Wallet 1. Switch wallets");
  await add(page, SECOND);
  assert.equal(compact(await shownKey(page)), keyOf(SECOND));
  const second = await peer(page);
  assert.notEqual(second, first);
  const tab = await context.newPage();
  await tab.goto(url);
  await isOpen(tab);

  await switchTo(page, /^Wallet 1/);
  for (const one of [page, tab]) {
    await heading(one, "Unlock");
    await button(one, "Wallet: Wallet 1. Switch wallets").waitFor();
  }
  await look(page, "unlock-several");
  await unlock(page, OTHER_PASSWORD);
  await page.getByText("Wrong password.").waitFor();
  await unlock(page);
  await isOpen(page);
  await isOpen(tab);
  assert.equal(await peer(page), first, "the data of the first wallet are where they were");
  assert.equal(compact(await shownKey(tab)), keyOf(WORDS));
  await page.reload();
  await isOpen(page);
  assert.equal(await peer(page), first);
  await tab.close();

  await switchTo(page, /^Wallet 2/);
  await unlock(page, OTHER_PASSWORD);
  await isOpen(page);
  assert.equal(await peer(page), second);
  assert.deepEqual(said.filter((line) => !line.includes("ERR_CACHE_WRITE_FAILURE")), []);
});

test("a wallet has a name and a colour, in all tabs; wrong names are said", async (t, { page, context, url }) => {
  let dialog = await wallets(page);
  await button(dialog, "Edit Wallet 2").click();
  dialog = page.getByRole("dialog", { name: "Edit Wallet 2" });
  for (const [name, why] of [["", "Enter a name."], ["Wallet 1", "Another wallet is called Wallet 1."], ["x".repeat(31), "A name has at most 30 letters; this one has 31."]]) {
    await text(dialog, "Name").fill(name);
    await button(dialog, "Save").click();
    await dialog.getByText(why).waitFor();
  }
  await text(dialog, "Name").fill("Savings");
  await dialog.getByRole("radio", { name: "Color 5" }).check();
  await look(page, "wallet-edit");
  const tab = await context.newPage();
  await tab.goto(url);
  await button(tab, "Wallet: Wallet 2. Switch wallets").waitFor();
  await button(dialog, "Save").click();
  await button(page.getByRole("dialog", { name: "Wallets" }), "Edit Savings").waitFor();
  await button(tab, "Wallet: Savings. Switch wallets").waitFor();
  await tab.close();
  await look(page, "wallets");
  await page.keyboard.press("Escape");
  await page.reload();
  await isOpen(page);
  const shown = button(page, "Wallet: Savings. Switch wallets");
  await shown.waitFor();
  assert.equal(await shown.locator(".sign.shade4").getAttribute("data-letter"), "S");
});

test("wrong passwords of one wallet do not make the other wait, nor does opening one give more tries at the other", async (t, { page }) => {
  await button(page, "Lock").click();
  for (let n = 0; n < 4; n++) {
    await unlock(page, `wrong ${n}`);
    await page.getByText(/^Wrong password\./).waitFor();
  }
  await page.getByText(/After several wrong passwords there is a pause: \d+ s/).waitFor();
  await switchTo(page, /^Wallet 1/);
  await unlock(page);
  await isOpen(page);
  await switchTo(page, /^Savings/);
  await unlock(page, "wrong again"); // once the pause is over
  await page.getByText(/After several wrong passwords there is a pause: \d+ s/).waitFor();
  await switchTo(page, /^Wallet 1/);
  await unlock(page);
  await isOpen(page);
});

test("words of a wallet that is here set its password; it keeps its data and its name", async (t, { page }) => {
  const dialog = await wallets(page);
  await button(dialog, "Add a wallet").click();
  await restore(page, { passphrase: SECOND, password: "a third password" });
  await button(page, "Wallet: Savings. Switch wallets").waitFor();
  assert.equal(await (await wallets(page)).getByRole("listitem").count(), 2);
  await page.keyboard.press("Escape");
});

test("an external wallet is one of them; a wallet is removed with its data, and the others stay", async (t, { page }) => {
  await button(await wallets(page), "Add a wallet").click();
  await button(page, /^Use an external wallet/).click();
  await button(page, "Continue").click();
  await isOpen(page);
  await button(page, "Wallet: External wallet. Switch wallets").waitFor();
  assert.equal(await button(page, "Lock").count(), 0);
  const stores = () => page.evaluate(async () => {
    const names = [];
    for await (const name of (await (await navigator.storage.getDirectory()).getDirectoryHandle("obverse")).keys()) {
      names.push(name);
    }
    return names.length;
  });
  assert.equal(await stores(), 3);
  await button(await wallets(page), "Edit Savings").click();
  const dialog = page.getByRole("dialog", { name: "Edit Savings" });
  await dialog.getByText("Remove this wallet").click();
  await button(dialog, "Remove Savings").click({ force: true });
  await dialog.getByLabel("I have its recovery phrase and want to remove it").check();
  await look(page, "wallet-remove");
  await button(dialog, "Remove Savings").click();
  await dialog.waitFor({ state: "hidden" });
  assert.equal(await stores(), 2);
  await button(await wallets(page), "Edit External wallet").click();
  await page.getByText("Remove this wallet").click();
  await button(page, "Remove External wallet").click();
  await unlock(page);
  await isOpen(page);
  assert.equal(compact(await shownKey(page)), keyOf(WORDS), "the wallet that is left is the one in use");
});

plain("the native node's wallet is listed in addition to those in the page", { timeout: 400000 }, async (t) => {
  const { page, url } = await wallet(t);
  await visit(page, "settings", "Settings");
  await page.getByRole("radio", { name: "A native node" }).click();
  const native = await nativeNode(t, new URL(url).origin);
  await text(page, "Address of the node").fill(native.node);
  await text(page, "rpc_password").fill(secrets.rpc);
  await button(page, "Connect").click();
  await page.locator(".status").filter({ hasText: "Native node" }).waitFor();
  await button(page, "Wallet: Native node. Switch wallets").waitFor();
  const dialog = await wallets(page);
  await dialog.getByText(/^Its keys stay at 127\.0\.0\.1:\d+$/).waitFor();
  await look(page, "wallets-native");
  await dialog.getByRole("button", { name: /^Wallet 1/ }).click();
  await unlock(page);
  await isOpen(page);
  assert.equal(compact(await shownKey(page)), keyOf(WORDS));
  await switchTo(page, /^Native node/);
  await heading(page, "Unlock");
  await text(page, "rpc_password").fill(secrets.rpc);
  await button(page, "Unlock").click();
  await isOpen(page);
});

plain("no file of the browser opens one of several wallets; a wallet of before November 2026 is one of them", { timeout: 400000 }, async (t) => {
  const profile = profileFolder(t, async () => {
    await context.close();
    await site.close();
  });
  const site = await serveApp();
  const context = await open(profile);
  const page = await context.newPage();
  await page.goto(`${site.url}theme.js`);
  await page.evaluate(() => Object.assign(localStorage, { "obverse.publicservers": "off", "obverse.prices": "off" }));
  await writeOld(page, 0);
  await page.goto(site.url);
  await button(page, "I have read this").click();
  await unlock(page);
  await isOpen(page);
  await add(page, SECOND);
  await switchTo(page, /^Wallet 1/);
  await unlock(page);
  await isOpen(page);
  assert.equal(compact(await shownKey(page)), keyOf(WORDS));
  await switchTo(page, /^Wallet 2/);
  await unlock(page, OTHER_PASSWORD);
  await isOpen(page);
  assert.equal(compact(await shownKey(page)), keyOf(SECOND));
  const { keys, opened, sealed } = openedIn(profile);
  assert.deepEqual({ keys, opened, traces: tracesOf(profile, { ...secretsOf(SECOND), password: OTHER_PASSWORD }) }, { keys: 0, opened: [], traces: [] });
  assert(sealed > 1, "both vaults are found");
});

plain("the password of one wallet does not open another one that another tab has switched to meanwhile", { timeout: 400000 }, async (t) => {
  const { page } = await wallet(t);
  await button(page, "Lock").click();
  await heading(page, "Unlock");
  await changeProfile(page, { page: { kind: "passphrase", id: "f00d", name: "Other", publicKey: publicKeyOf(SECOND, true) } });
  await unlock(page);
  await page.locator(".fault summary").click();
  await page.locator(".fault").getByText("another tab has switched to another wallet meanwhile: reload the page").waitFor();
  await page.reload();
  await page.locator("main h1, .status").first().waitFor();
  await heading(page, "Unlock");
});
