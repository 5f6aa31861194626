import assert from "node:assert/strict";
import { test as plain } from "node:test";
import { validateMnemonic } from "@scure/bip39";
import { wordlist } from "@scure/bip39/wordlists/english.js";
import { init } from "obverse";
import { everythingOf } from "./everything.js";
import { nativeNode, secrets } from "./native.js";
import { browser, checkAccess, checkWidth, isOpen, PASSWORD, picture, restore, sizes, visit, WORDS } from "./support.js";

const test = (name, does) => plain(name, { timeout: 120000 }, does);

/** A page at the first run. */
async function first(t, where = "") {
  const opened = await browser(t);
  const page = await opened.context.newPage();
  await page.goto(opened.url + where);
  await page.getByRole("heading", { level: 1, name: "Welcome to Obverse" }).waitFor();
  return { ...opened, page };
}

const button = (page, name) => page.getByRole("button", { name });
const text = (page, name) => page.getByRole("textbox", { name });
const heading = (page, name) => page.getByRole("heading", { level: 1, name }).waitFor();

/** The public key that the settings show. */
async function shownKey(page) {
  await visit(page, "settings", "Settings");
  return (await page.locator("dd .groups").last().textContent()) ?? "";
}

/** The public key of a node with a passphrase. */
async function keyOf(config) {
  const node = await init({ config });
  try {
    return (await node.rpc("get_public_key")).public_key;
  } finally {
    await node.stop();
  }
}

/** Looks at a step in all ways. */
async function look(page, name) {
  for (const size of Object.values(sizes)) {
    await page.setViewportSize(size);
    await checkWidth(page);
    await checkAccess(page);
  }
  await page.setViewportSize(sizes.desktop);
  await picture(page, `firstrun-${name}`);
}

test("a wallet is created: its words are shown, some are asked for, and they are the node's", async (t) => {
  const { page, said } = await first(t);
  await look(page, "welcome");
  await button(page, /^Create a wallet/).click();
  await heading(page, "Your words");
  const words = page.locator(".words li");
  assert.equal(await words.count(), 12);
  const twelve = await words.allTextContents();
  assert(validateMnemonic(twelve.join(" "), wordlist));
  await look(page, "words");
  await page.getByLabel("24 words").check();
  await page.locator(".words li:nth-child(24)").waitFor();
  const list = await words.allTextContents();
  assert(validateMnemonic(list.join(" "), wordlist));
  assert.notDeepEqual(list.slice(0, 12), twelve);
  await look(page, "words24");

  await button(page, "I have written them down").click();
  await heading(page, "Confirm your words");
  assert.equal(await words.count(), 0);
  const labels = await page.locator(".row label").allTextContents();
  assert.equal(labels.length, 3);
  assert.equal(new Set(labels).size, 3);
  await button(page, "Go on").click();
  assert.equal(await page.getByText("This is another word.").count(), 3);
  await look(page, "confirm");
  for (const label of labels) {
    await text(page, label).fill(` ${list[Number(label.replace("Word ", "")) - 1].toUpperCase()} `);
  }
  await button(page, "Go on").click();
  await heading(page, "Choose a password");
  await text(page, "New password").fill("short");
  await button(page, "Create the wallet").click();
  await page.getByText("It needs at least 8 characters.").waitFor();
  await look(page, "password");
  await text(page, "New password").fill(PASSWORD);
  await button(page, "Create the wallet").click();
  await isOpen(page);
  assert.equal(await shownKey(page), await keyOf({ passphrase: list.join(" "), enable_hd: true }));
  const all = [await everythingOf(page), ...said].join("\n");
  for (const secret of [list.join(" "), list.slice(0, 3).join(" "), list.slice(0, 3).join("\n"), PASSWORD]) {
    assert(!all.includes(secret), "a secret is in the page");
  }
  assert.deepEqual(said, []);
});

test("words are restored in whatever way they are written, and what is wrong with them is told", async (t) => {
  const { page, said } = await first(t, "some/where/");
  await button(page, /^Restore a wallet/).click();
  const words = text(page, "Words or passphrase");
  const list = WORDS.split(" ");
  for (const [given, says] of [
    ["", "Type your words or your passphrase."],
    [list.with(2, "thanks").join(" "), "Word 3 of 12 cannot be: look for a misspelling."],
    [list.slice(1).join(" "), "These are 11 words. There are 12, 15, 18, 21 or 24."],
    [list.with(11, "thank").join(" "), "The words do not belong together: one is wrong, or in the wrong place."],
  ]) {
    await words.fill(given);
    await button(page, "Go on").click();
    await page.getByText(says).waitFor();
  }
  await look(page, "misspelt");
  await words.fill(`  ${WORDS.toUpperCase().replaceAll(" ", "\n ")} \n`);
  await button(page, "Go on").click();
  await text(page, "New password").fill(PASSWORD);
  await button(page, "Show: New password").click();
  assert.equal(await text(page, "New password").getAttribute("type"), "text");
  await button(page, "Restore the wallet").click();
  await isOpen(page);
  assert.equal(await shownKey(page), await keyOf({ passphrase: WORDS, enable_hd: true }));
  assert.deepEqual(said, []);
});

test("words of older wallets are one key for all", async (t) => {
  const { page } = await first(t);
  await button(page, /^Restore a wallet/).click();
  await text(page, "Words or passphrase").fill(WORDS);
  await page.getByText("For words of older Komodo wallets").click();
  await page.getByLabel("One key for all coins").check();
  await button(page, "Go on").click();
  await text(page, "New password").fill(PASSWORD);
  await button(page, "Restore the wallet").click();
  await isOpen(page);
  assert.equal(await shownKey(page), await keyOf({ passphrase: WORDS }));
});

test("another passphrase is taken as it is, after a warning; one that no node takes is refused in words", async (t) => {
  const { page, said } = await first(t);
  await button(page, /^Restore a wallet/).click();
  const words = text(page, "Words or passphrase");
  await words.fill("0x12");
  await button(page, "Go on").click();
  await page.getByText("This is no recovery phrase.").waitFor();
  await button(page, "Go on").click({ force: true });
  assert.equal(await text(page, "New password").count(), 0, "a warning that nobody answered");
  await look(page, "passphrase");
  await page.getByLabel("Use it as it is").check();
  await button(page, "Go on").click();
  await text(page, "New password").fill(PASSWORD);
  await button(page, "Restore the wallet").click();
  const fault = page.getByRole("alert").filter({ hasText: "The node does not take this wallet." });
  await fault.or(page.getByRole("alert").filter({ hasText: "The node cannot be started with this wallet." })).waitFor();
  await look(page, "refused");
  await button(page, "Back").click();
  await words.fill("bob passphrase ");
  await button(page, "Go on").click();
  await page.getByText("with the space at its beginning or end").waitFor();
  await words.fill(secrets.passphrase);
  await button(page, "Back").click();
  await restore(page, { passphrase: secrets.passphrase });
  assert.equal(await shownKey(page), secrets.publicKey);
  assert.deepEqual(said, []);
});

test("an external wallet needs no secret and no password", async (t) => {
  const { page, said } = await first(t);
  await button(page, /^Use an external wallet/).click();
  await heading(page, "Use an external wallet");
  await look(page, "external");
  await button(page, "Go on").click();
  await isOpen(page);
  assert.equal(await button(page, "Lock").count(), 0);
  await page.reload();
  await isOpen(page);
  await visit(page, "settings", "Settings");
  await page.getByText("Peer ID").waitFor();
  assert.equal(await page.getByText("Show my words").count(), 0);
  assert.deepEqual(said, []);
});

test("a native node: its errors in words, its lock, and the way back to the page", async (t) => {
  const { page, url, said } = await first(t);
  const native = await nativeNode(t, new URL(url).origin);
  await button(page, /^Connect to a node/).click();
  assert.equal(await text(page, "Address of the node").inputValue(), "http://127.0.0.1:7783");
  await text(page, "Address of the node").fill("ftp://nowhere");
  await button(page, "Connect").click();
  await page.getByText("An address is like http://127.0.0.1:7783.").first().waitFor();
  await text(page, "Address of the node").fill("http://127.0.0.1:1/");
  await button(page, "Connect").click();
  await page.getByText("The node does not answer.").waitFor();
  await text(page, "Address of the node").fill(native.node);
  await text(page, "rpc_password").fill("Wrong-2-word");
  await button(page, "Connect").click();
  await page.getByText("The node does not take this password.").waitFor();
  await look(page, "native");
  await text(page, "rpc_password").fill(secrets.rpc);
  await page.getByText("Tokens (interface A)").click();
  await text(page, "Address of interface A").fill(native.daemon);
  await text(page, "rpcpassword").fill(secrets.daemon);
  await button(page, "Connect").click();
  await isOpen(page);
  await page.locator(".status").filter({ hasText: "Native node" }).waitFor();
  assert.equal(await shownKey(page), secrets.publicKey);
  await page.reload();
  await isOpen(page);
  await button(page, "Lock").click();
  await heading(page, "Unlock");
  await text(page, "rpc_password").fill(secrets.rpc);
  await button(page, "Unlock").click();
  await isOpen(page);
  await visit(page, "settings", "Settings");
  await page.getByRole("radio", { name: "The node in this page" }).click();
  await heading(page, "Another wallet");
  await button(page, "Cancel").click();
  await isOpen(page);
  const all = await everythingOf(page);
  for (const secret of [secrets.rpc, secrets.daemon]) {
    assert(![all, ...said].join("\n").includes(secret), "a password is in the page");
  }
  // Chromium would have one password in a form; both belong to the same node.
  assert.deepEqual(said.filter((line) => !/ERR_CONNECTION_REFUSED|ERR_UNSAFE_PORT|status of 40[13]|Multiple forms/.test(line)), []);
});

test("a native node that goes away is said, and so is its return; another one fails in words", async (t) => {
  const { page, url } = await first(t);
  const { origin } = new URL(url);
  const native = await nativeNode(t, origin);
  await page.clock.install();
  await button(page, /^Connect to a node/).click();
  await text(page, "Address of the node").fill(native.node);
  await text(page, "rpc_password").fill(secrets.rpc);
  await button(page, "Connect").click();
  await isOpen(page);
  await visit(page, "settings", "Settings");
  await native.stop();
  await page.clock.runFor(21_000);
  await page.getByText("The node does not answer. It is asked again and again").waitFor();
  assert.equal(await page.locator(".status").textContent(), "Native node: does not answer");
  await checkAccess(page);
  await picture(page, "lost");
  await nativeNode(t, origin, [`rpcport=${new URL(native.node).port}`]);
  await page.clock.runFor(31_000);
  await isOpen(page);
  await page.locator(".banner").waitFor({ state: "hidden" });
});

test("a native node that is gone after a reload leaves the settings, and another try", async (t) => {
  const { page, url } = await first(t);
  const native = await nativeNode(t, new URL(url).origin);
  await button(page, /^Connect to a node/).click();
  await text(page, "Address of the node").fill(native.node);
  await text(page, "rpc_password").fill(secrets.rpc);
  await button(page, "Connect").click();
  await isOpen(page);
  await native.stop();
  await page.goto(`${url}#/settings`);
  await page.reload();
  const fault = page.getByRole("alert").filter({ hasText: "The node does not answer." });
  await fault.waitFor();
  await heading(page, "Settings");
  await look(page, "gone");
  await nativeNode(t, new URL(url).origin, [`rpcport=${new URL(native.node).port}`]);
  await button(page, "Try again").click();
  await isOpen(page);
  await fault.waitFor({ state: "detached" });
});

test("the node in the page and the native one take turns", async (t) => {
  const { page, url } = await first(t);
  const native = await nativeNode(t, new URL(url).origin);
  await restore(page);
  const key = await shownKey(page);
  await page.getByRole("radio", { name: "A native node" }).click();
  await text(page, "Address of the node").fill(native.node);
  await text(page, "rpc_password").fill(secrets.rpc);
  await button(page, "Connect").click();
  await page.locator(".status").filter({ hasText: "Native node" }).waitFor();
  assert.equal(await shownKey(page), secrets.publicKey);
  await page.getByRole("radio", { name: "The node in this page" }).click();
  await page.locator(".status").filter({ hasText: "Node in this page" }).waitFor();
  await isOpen(page);
  await page.getByText(key).waitFor();
  await page.getByRole("radio", { name: native.node }).click();
  await page.getByText(secrets.publicKey).waitFor();
  await button(page, "Lock").click();
  await button(page, "Use a wallet in this page").click();
  await text(page, "Password").fill(PASSWORD);
  await button(page, "Unlock").click();
  await isOpen(page);
  assert.equal(await shownKey(page), key);
});

test("an address without encryption keeps no wallet and no password", async (t) => {
  const { context, url, said } = await browser(t, ["--host-resolver-rules=MAP wallet.test 127.0.0.1"]);
  const plainly = new URL(url);
  plainly.hostname = "wallet.test";
  const native = await nativeNode(t, plainly.origin);
  const page = await context.newPage();
  await page.goto(plainly.href);
  await page.getByText("This address is not encrypted").waitFor();
  assert.equal(await page.locator(".way").count(), 1);
  await look(page, "insecure");
  await button(page, /^Connect to a node/).click();
  await text(page, "Address of the node").fill(native.node);
  await text(page, "rpc_password").fill(secrets.rpc);
  await button(page, "Connect").click();
  await isOpen(page);
  assert.equal(await shownKey(page), secrets.publicKey);
  await page.reload();
  await heading(page, "Unlock");
  await text(page, "rpc_password").fill(secrets.rpc);
  await button(page, "Unlock").click();
  await isOpen(page);
  assert.deepEqual(said.filter((line) => !/Multiple forms/.test(line)), []);
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
  await heading(page, "Your words");
  await page.waitForFunction(() => document.activeElement?.tagName === "H1");
  const list = await page.locator(".words li").allTextContents();
  await press("Tab", "Tab", "Enter");
  await heading(page, "Confirm your words");
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
