import assert from "node:assert/strict";
import { test as plain } from "node:test";
import { everythingOf } from "./everything.js";
import { nativeNode, secrets } from "./native.js";
import { button, first, heading, look, shownKey, text } from "./steps.js";
import { changeProfile } from "./seed.js";
import { browser, checkAccess, isOpen, PASSWORD, picture, restore, until, visit } from "./support.js";

const test = (name, does) => plain(name, { timeout: 400000 }, does);

test("a native node: its errors in words, its lock, and the way back to the page", async (t) => {
  const { page, url, said } = await first(t);
  const native = await nativeNode(t, new URL(url).origin);
  await button(page, /^Connect to a node/).click();
  assert.equal(await text(page, "Address of the node").inputValue(), "http://127.0.0.1:7783");
  await text(page, "Address of the node").fill("ftp://nowhere");
  await button(page, "Connect").click();
  await page.getByText("An address looks like http://127.0.0.1:7783.").first().waitFor();
  await page.getByText("Required by the node.").waitFor();
  await text(page, "Address of the node").fill("nonsense");
  await button(page, "Connect").click();
  await page.getByText("Without https, a page can only reach a node on this machine").first().waitFor();
  await text(page, "Address of the node").fill("http://127.0.0.1:1/");
  await text(page, "rpc_password").fill(secrets.rpc);
  await button(page, "Connect").click();
  await page.getByText("The node does not answer.").waitFor();
  await text(page, "Address of the node").fill(native.node);
  await text(page, "rpc_password").fill("Wrong-2-word");
  await button(page, "Connect").click();
  await page.locator(".field", { has: text(page, "rpc_password") }).getByRole("alert").filter({ hasText: "Wrong password." }).waitFor();
  assert.equal(await page.locator(".fault").count(), 0);
  await look(page, "native-native");
  await text(page, "rpc_password").fill(secrets.rpc);
  await page.getByText("Tokens (daemon API)").click();
  await text(page, "Address of the daemon API").fill("http://127.0.0.1:1/");
  await text(page, "rpcpassword").fill(secrets.daemon);
  await button(page, "Connect").click();
  await page.locator(".field", { has: text(page, "Address of the daemon API") }).getByRole("alert").filter({ hasText: "its daemon API does not answer at this address" }).waitFor();
  assert.equal(await page.locator(".fault").count(), 0);
  await text(page, "Address of the daemon API").fill(native.daemon);
  await text(page, "rpcpassword").fill("Wrong-3-word");
  await button(page, "Connect").click();
  const refused = page.locator(".field", { has: text(page, "rpcpassword") }).getByRole("alert").filter({ hasText: "Wrong user or password" });
  await refused.waitFor();
  assert.equal(await page.getByRole("alert").count(), 1, "it appears nowhere else");
  await page.waitForFunction(() => document.activeElement?.getAttribute("aria-invalid") === "true");
  assert.equal(await text(page, "rpcpassword").evaluate((input) => input === document.activeElement), true);
  await look(page, "native-daemon");
  await text(page, "rpcpassword").fill(secrets.daemon);
  await button(page, "Connect").click();
  await isOpen(page);
  await page.locator(".status").filter({ hasText: "Native node" }).waitFor();
  await visit(page, "", "Home");
  await visit(page, "tokens", "Tokens");
  await page.getByText("These coins belong to a chain that runs only on this node.").waitFor();
  assert.equal(await shownKey(page), secrets.publicKey);
  await page.reload();
  await isOpen(page);
  await button(page, "Lock").click();
  await heading(page, "Unlock");
  await text(page, "rpc_password").fill(secrets.rpc);
  await text(page, "rpcpassword of the daemon API").fill("Wrong-3-word");
  await button(page, "Unlock").click();
  await page.locator(".field", { has: text(page, "rpcpassword of the daemon API") }).getByRole("alert").filter({ hasText: "Wrong user or password" }).waitFor();
  await text(page, "rpcpassword of the daemon API").fill(secrets.daemon);
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
  // Chromium recommends one password per form, but both belong to the same node.
  assert.deepEqual(said.filter((line) => !/ERR_CONNECTION_REFUSED|ERR_UNSAFE_PORT|status of 40[13]|Multiple forms/.test(line)), []);
});

test("the loss and the return of a native node are reported; another one fails in words", async (t) => {
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
  await page.getByText("The node does not answer. Retrying").waitFor();
  assert.equal(await page.locator(".status").textContent(), "Native node: does not answer");
  await checkAccess(page);
  await picture(page, "lost");
  await nativeNode(t, origin, [`rpcport=${new URL(native.node).port}`]);
  const on = page.locator('.status[data-state="on"]');
  await until(async () => {
    await page.clock.runFor(31_000); // an unanswered request may be pending
    return on.isVisible();
  }, "the node is asked again, and answers");
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
  await look(page, "native-gone");
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
  await page.getByRole("textbox", { name: "Password", exact: true }).fill(PASSWORD); // not the native node's rpc_password
  await button(page, "Unlock").click();
  await isOpen(page);
  assert.equal(await shownKey(page), key);
});

test("an address without encryption keeps no wallet and no password", async (t) => {
  const { context, url, said } = await browser(t, { args: ["--host-resolver-rules=MAP wallet.test 127.0.0.1"] });
  const plainly = new URL(url);
  plainly.hostname = "wallet.test";
  const native = await nativeNode(t, plainly.origin);
  const page = await context.newPage();
  await page.goto(plainly.href);
  await page.getByText("This address is not encrypted").waitFor();
  assert.equal(await page.locator(".way").count(), 1);
  await look(page, "native-insecure");
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

/** Connects sites to the watched wallet in the form in which a page without encryption stores them. */
const connectSites = (page) =>
  page.evaluate(async () => {
    const done = (request) => new Promise((resolve, reject) => Object.assign(request, { onsuccess: () => resolve(request.result), onerror: () => reject(request.error) }));
    const db = await done(indexedDB.open("obverse-page"));
    const account = { chain: "eip155:1", coin: "ETH", address: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", policy: "watch" };
    await done(db.transaction("records", "readwrite").objectStore("records").put({ session: undefined, wallet: "one", sites: [{ origin: "https://site.test", accounts: [account] }] }, "sites"));
    db.close();
  });

test("an address without encryption: another wallet and a lock end the connections of sites", async (t) => {
  const { context, url } = await browser(t, { args: ["--host-resolver-rules=MAP wallet.test 127.0.0.1"] });
  const plainly = new URL(url);
  plainly.hostname = "wallet.test";
  const native = await nativeNode(t, plainly.origin);
  const page = await context.newPage();
  await page.goto(plainly.href);
  await heading(page, "Welcome to Obverse");
  const watching = (id, watched) => ({ kind: "watch", id, name: id, watched, made: 1 });
  await changeProfile(page, { use: "page", page: watching("one", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"), others: [watching("two", "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359")], native: { url: native.node } });
  await connectSites(page);
  await page.reload();
  await isOpen(page);
  await visit(page, "settings", "Settings");
  await button(page, "Disconnect https://site.test").waitFor();
  const second = await context.newPage();
  await second.goto(plainly.href);
  await isOpen(second);

  const go = async (name) => {
    await button(page, /^Wallet: /).click();
    await page.getByRole("dialog", { name: "Wallets" }).getByRole("button", { name }).first().click();
  };
  await go(/^two/);
  await button(page, /^Wallet: two/).waitFor();
  await page.getByText("No site is connected.").waitFor();
  await button(second, /^Wallet: two/).waitFor();
  await isOpen(second);
  await go(/^one/);
  await button(page, /^Wallet: one/).waitFor();
  await isOpen(page);
  await page.getByText("No site is connected.").waitFor();

  await connectSites(page);
  await page.reload();
  await button(page, "Disconnect https://site.test").waitFor();
  await button(page, /^Wallet: /).click();
  await page.getByRole("dialog", { name: "Wallets" }).getByRole("button", { name: /^Native node/ }).click();
  await text(page, "rpc_password").fill(secrets.rpc);
  await button(page, "Unlock").click();
  await isOpen(page);
  await connectSites(page);
  await button(page, "Lock").click();
  await button(page, "Use a wallet in this page").click();
  await isOpen(page);
  await page.getByText("No site is connected.").waitFor();
});
