import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { sharing } from "../../test/sharing.js";
import { accounts, moneyWallet, row } from "./money.js";
import { checkAccess, checkWidth, FAST, folder, headingFocused, isOpen, PASSWORD, picture, sizes, until, visit, wallet, WORDS } from "./support.js";

const button = (page, name) => page.getByRole("button", { name, exact: true });

async function settings(t) {
  const opened = await wallet(t, { kept: true });
  await visit(opened.page, "settings", "Settings");
  return opened;
}

/** Opens the settings in their initial state. @param {import("playwright-core").Page} page */
async function openSettings(page) {
  await visit(page, "developer", "Developer");
  await visit(page, "settings", "Settings");
}

/** Opens another tab of an open wallet at the settings. @param {import("node:test").TestContext} t */
async function another(t, { context, url }) {
  const tab = await context.newPage();
  t.after(() => tab.close());
  await tab.goto(`${url}#/settings`);
  await isOpen(tab);
  return tab;
}

const test = sharing("an open wallet's settings", async (t) => ({ ...(await settings(t)), money: await moneyWallet(t, { tokens: ["IRIS-IBC_ATOM"] }) }));

/** Unlocks the wallet. @param {import("playwright-core").Page} page */
async function unlock(page) {
  await page.getByRole("textbox", { name: "Password", exact: true }).fill(PASSWORD);
  await button(page, "Unlock").click();
  await isOpen(page);
}

/** The peer ID, which belongs to the node's data. */
const peer = (page) => page.locator('dt:text-is("Peer ID") + dd .groups').textContent();

test("everything in the settings can be read and used by everybody", async (t, { page, said }) => {
  await page.locator("dd .groups").first().waitFor();
  for (const summary of await page.locator("summary").all()) {
    await summary.click();
  }
  for (const size of Object.values(sizes)) {
    await page.setViewportSize(size);
    await checkWidth(page);
    await checkAccess(page);
  }
  await picture(page, "settings");
  await page.setViewportSize(sizes.phone);
  await visit(page, "developer", "Developer");
  await checkAccess(page);
  await page.getByRole("link", { name: "Settings" }).last().click();
  await page.getByRole("heading", { level: 1, name: "Settings" }).waitFor();
  await headingFocused(page);
  assert.match(await page.title(), /^Settings/);
  await page.setViewportSize(sizes.desktop);
  assert.deepEqual(said, []);
});

test("the theme is the system's or the user's, from the first moment", async (t, { page, context, url }) => {
  const colour = (of = page) => of.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  const [white, black] = ["rgb(255, 255, 255)", "rgb(18, 22, 28)"];
  await page.emulateMedia({ colorScheme: "light" });
  assert.equal(await colour(), white);
  await page.emulateMedia({ colorScheme: "dark" });
  assert.equal(await colour(), black);
  await page.getByLabel("Theme").selectOption("light");
  assert.equal(await colour(), white);
  await page.emulateMedia({ colorScheme: "light" });
  await page.getByLabel("Theme").selectOption("dark");
  assert.equal(await colour(), black);
  await checkAccess(page);
  const tab = await context.newPage(); // this loads faster than a page with a node
  t.after(() => tab.close());
  await tab.goto(`${url}#/settings`, { waitUntil: "commit" });
  await tab.waitForFunction(() => document.body !== null);
  assert.equal(await tab.evaluate(() => document.documentElement.dataset.theme), "dark");
  await isOpen(tab);
  await tab.getByLabel("Theme").selectOption("system");
  await tab.reload();
  await isOpen(tab);
  assert.equal(await colour(tab), white);
  await page.getByLabel("Theme").selectOption("system");
});

test("the loss and the return of the network are reported", async (t, { page, context }) => {
  const banner = page.locator(".banner");
  assert.equal(await banner.isVisible(), false);
  await context.setOffline(true);
  await banner.getByText("Offline.").waitFor();
  await checkAccess(page);
  await picture(page, "offline");
  await context.setOffline(false);
  await until(async () => !(await banner.isVisible()));
});

test("a tab that hears late of a lock does not end what was opened since", async (t, { page, context, url }) => {
  const late = await context.newPage();
  t.after(() => late.close());
  await late.addInitScript(() => {
    globalThis.held = [];
    BroadcastChannel.prototype.addEventListener = function (type, listener) {
      const late = (event) => globalThis.held.push(() => listener(event));
      EventTarget.prototype.addEventListener.call(this, type, this.name === "obverse-wallet" ? late : listener);
    };
  });
  await late.goto(url);
  await isOpen(late);
  await button(page, "Lock").click();
  await unlock(page);
  await until(() => late.evaluate(() => globalThis.held.length === 2), "it receives the lock and its end");
  await late.evaluate(() => {
    globalThis.pending = globalThis.held.splice(0);
    globalThis.pending.forEach((hear) => hear());
  });
  await until(() => late.evaluate(() => !document.querySelector("h1")?.textContent?.includes("Unlock")), "it is open again");
  await isOpen(late);
  await page.reload();
  await isOpen(page);
});

test("the time until it locks is the user's, and can be never", async (t, { page, context, url }) => {
  const tab = await context.newPage();
  t.after(() => tab.close());
  await tab.clock.install();
  await tab.goto(`${url}#/settings`);
  await isOpen(tab);
  const locked = tab.getByRole("heading", { level: 1, name: "Unlock" });
  const choice = tab.getByLabel("Lock automatically");
  const before = await choice.inputValue();
  await choice.selectOption({ label: "When its last tab is closed" });
  await tab.clock.runFor("02:00:00");
  assert.equal(await locked.isVisible(), false);
  await choice.selectOption({ label: "After 1 minute" });
  await tab.clock.runFor("01:00");
  await locked.waitFor();
  await tab.getByText("Locked after a period of inactivity.").waitFor();
  await unlock(page);
  await page.getByLabel("Lock automatically").selectOption(before);
});

test("a full storage is reported in words, and stored data stay", async (t, { page, context, url, said }) => {
  await openSettings(page);
  const id = await peer(page);
  const files = folder(t);
  await page.getByText("Export", { exact: true }).click();
  const download = page.waitForEvent("download");
  await button(page, "Export the data").click();
  const file = path.join(files, "export.db");
  await (await download).saveAs(file);
  const session = await context.newCDPSession(page);
  await session.send("Storage.overrideQuotaForOrigin", { origin: new URL(url).origin, quotaSize: 1 });
  await page.getByText("Import", { exact: true }).click();
  await page.getByLabel("File of an export").setInputFiles(file);
  await button(page, "Replace").click();
  await page.getByText("Browser storage for this page is full.").waitFor();
  await checkAccess(page);
  await session.send("Storage.overrideQuotaForOrigin", { origin: new URL(url).origin });
  await page.reload();
  await isOpen(page);
  assert.equal(await peer(page), id);
  said.length = 0; // the browser reports that its storage is full
});

test("data is exported and imported; an invalid export changes nothing", async (t, { page, said, money: otherWallet }) => {
  await openSettings(page);
  const files = folder(t);
  const id = await peer(page);
  await page.getByText("Files of this page, in this browser").waitFor();
  await page.getByText("Export", { exact: true }).click();
  const download = page.waitForEvent("download");
  await button(page, "Export the data").click();
  const file = path.join(files, "export.db");
  const saved = await download;
  assert.match(saved.suggestedFilename(), /^obverse-\d{4}-\d\d-\d\d\.db$/);
  await saved.saveAs(file);
  const data = readFileSync(file);
  assert(data.length > 100);
  const says = page.getByText(`Saved as ${saved.suggestedFilename()}, about ${(data.length / 1000).toPrecision(data.length < 100_000 ? 2 : 3)} kB.`);
  await says.last().waitFor(); // the first element is for screen readers
  await until(async () => (await page.locator('[aria-live="polite"]').textContent())?.trim() === (await says.last().textContent()));
  await checkAccess(page);
  await picture(page, "settings-exported");
  assert(!data.includes(WORDS) && !data.includes(PASSWORD));

  const other = await settings(t);
  const tab = await another(t, other);
  assert.notEqual(await peer(other.page), id);
  const bad = path.join(files, "bad.db");
  writeFileSync(bad, "this is no export");
  await other.page.getByText("Import", { exact: true }).click();
  await other.page.getByLabel("File of an export").setInputFiles(bad);
  await other.page.getByRole("heading", { name: "Replace the data?" }).waitFor();
  await checkAccess(other.page);
  await other.page.keyboard.press("Escape");
  await other.page.getByRole("dialog").waitFor({ state: "detached" });
  await other.page.getByLabel("File of an export").setInputFiles(bad);
  await button(other.page, "Replace").click();
  await other.page.getByText("The file is not an export of an Obverse node, or it is incomplete.").waitFor();
  await visit(otherWallet.page, "settings", "Settings");
  const before = await peer(otherWallet.page);
  await otherWallet.page.getByText("Import", { exact: true }).click();
  await otherWallet.page.getByText("An export works only with the wallet it came from").waitFor();
  await otherWallet.page.getByLabel("File of an export").setInputFiles(file);
  await button(otherWallet.page, "Replace").click();
  await otherWallet.page.getByText("This export belongs to a wallet with a different recovery phrase.").waitFor();
  await otherWallet.page.getByText("Restore that wallet first, then import.").waitFor();
  await checkAccess(otherWallet.page);
  assert.equal(await peer(otherWallet.page), before);
  await other.page.getByLabel("File of an export").setInputFiles(file);
  await button(other.page, "Replace").click();
  await other.page.getByText("Data imported.").waitFor();
  await until(async () => (await peer(other.page)) === id, "the imported node has the same peer ID");
  await until(async () => (await peer(tab)) === id, "in the other tab too");
  await other.page.reload();
  await isOpen(other.page);
  assert.equal(await peer(other.page), id);
  assert.deepEqual([...said, ...other.said], []);
});

test("another password, and the words for a minute", async (t, opened) => {
  const page = await another(t, opened);
  await page.getByText("Change the password").click();
  await page.getByRole("textbox", { name: "Current password" }).fill("not it at all");
  await page.getByRole("textbox", { name: "New password" }).fill("brief");
  await button(page, "Change").click();
  await page.getByText("Use at least 8 characters.").waitFor();
  await page.getByRole("textbox", { name: "New password" }).fill("quite another one");
  await button(page, "Change").click();
  await page.getByText("Wrong password.").waitFor();
  await page.getByRole("textbox", { name: "Current password" }).fill(PASSWORD);
  await button(page, "Change").click();
  await page.getByText("Password changed.").waitFor();

  await page.clock.install();
  await page.getByText("Show recovery phrase").click();
  const password = page.getByRole("textbox", { name: "Password", exact: true });
  await password.fill(PASSWORD);
  await button(page, "Show").click();
  await page.getByText("Wrong password.").waitFor();
  await password.fill("quite another one");
  await button(page, "Show").click();
  await page.getByText(WORDS).waitFor();
  await checkAccess(page);
  await page.clock.runFor(61_000);
  await page.getByText(WORDS).waitFor({ state: "detached" });
  await password.waitFor();
});

test("coins that came with imported data are known to come back, until they are disabled", async (t, { money: { page: old, chain } }) => {
  const file = path.join(folder(t), "export.db");
  await openSettings(old);
  await old.getByText("Export", { exact: true }).click();
  const download = old.waitForEvent("download");
  await button(old, "Export the data").click();
  await (await download).saveAs(file);

  const { page, said } = await wallet(t, { passphrase: accounts.user.passphrase, speed: FAST });
  await visit(page, "settings", "Settings");
  await page.getByText("Import", { exact: true }).click();
  await page.getByLabel("File of an export").setInputFiles(file);
  await button(page, "Replace").click();
  await page.getByText("Data imported.").waitFor();
  await visit(page, "", "Home");
  await row(page, "IRIS-IBC_ATOM").waitFor();

  chain.fail();
  await page.reload();
  await isOpen(page);
  await visit(page, "history", "History");
  await page.getByText("no server of the network answers").waitFor();
  await visit(page, "", "Home");
  await page.getByText("Comes back with Cosmos.").waitFor();
  chain.fail(0);
  await page.getByText("is not reachable.").waitFor({ state: "hidden" });

  await visit(page, "console", "Console");
  await page.getByRole("combobox", { name: "Method" }).fill("disable_coin");
  await page.getByRole("textbox", { name: "Parameters" }).fill('{"coin": "ATOM", "force_disable": true}');
  await button(page, "Send").click();
  await page.getByText(/^Status 200, after/).waitFor();
  await page.reload();
  await isOpen(page);
  await visit(page, "", "Home");
  await page.getByText("No coin is active yet.").waitFor();
  assert.equal(await page.getByText("Comes back with Cosmos.").count(), 0);
  assert.deepEqual(said, []);
});

test("a tab that has to run the node on says that it has the data", async (t, opened) => {
  const { page } = opened;
  const tab = await another(t, opened);
  await tab.getByText("In this browser, managed by another tab").waitFor();
  await page.reload();
  await tab.getByText("Files of this page, in this browser").waitFor();
  await isOpen(page);
});

test("everything is deleted, in all tabs", async (t, opened) => {
  const { page, said } = opened;
  const second = await another(t, opened);
  await until(() => page.evaluate(async () => (await caches.keys()).length > 0), "the page is kept");
  await page.getByLabel("Theme").selectOption("dark");
  await button(page, "Delete everything here").click();
  await checkAccess(page);
  await button(page, "Delete").click({ force: true });
  await page.keyboard.press("Escape");
  await isOpen(page);
  await button(page, "Delete everything here").click();
  await page.getByLabel("I have my recovery phrase").check();
  await button(page, "Delete").click();
  for (const tab of [page, second]) {
    await tab.getByRole("heading", { level: 1, name: "Welcome to Obverse" }).waitFor();
  }
  const left = await page.evaluate(async () => {
    const names = [];
    for await (const name of (await navigator.storage.getDirectory()).keys()) {
      names.push(name);
    }
    const databases = (await indexedDB.databases()).map(({ name }) => name);
    const ofTests = ["obverse.publicservers", "obverse.prices"]; // set before each page is opened
    const scripts = (await navigator.serviceWorker.getRegistrations()).length;
    return { names, databases, scripts, caches: await caches.keys(), kept: [...Object.keys(localStorage), ...Object.keys(sessionStorage)].filter((name) => !ofTests.includes(name)), hash: location.hash };
  });
  // Opening a wallet recreates the database; it is empty.
  assert.deepEqual({ ...left, databases: left.databases.filter((name) => name !== "obverse-page") }, { names: [], databases: [], scripts: 0, caches: [], kept: [], hash: "" });
  // Both tabs load the program for the first screen. When the cache is deleted, Chromium fails the request that waits for the
  // other's cache entry, and the node loads the program again.
  const cut = said.filter((line) => line.includes("ERR_CACHE_WRITE_FAILURE"));
  t.diagnostic(`${cut.length} lines of downloads that were cut off`);
  assert.deepEqual(said.filter((line) => !cut.includes(line)), []);
});
