import assert from "node:assert/strict";
import { sharing } from "../../test/sharing.js";
import { open } from "../../test/support.js";
import { everythingOf, filesWith } from "./everything.js";
import { button, heading, text } from "./steps.js";
import { profileOf } from "./seed.js";
import { browser, checkAccess, folder, isOpen, PASSWORD, picture, restore, serveApp, sizes, until, visit, wallet, WORDS } from "./support.js";

const isLocked = (page) => heading(page, "Unlock");

async function unlock(page, password = PASSWORD) {
  await text(page, "Password").fill(password);
  await button(page, "Unlock").click();
}

/** Returns a record of the page's database. */
const record = (page, name) =>
  page.evaluate(async (key) => {
    const done = (request) => new Promise((resolve, reject) => Object.assign(request, { onsuccess: () => resolve(request.result), onerror: () => reject(request.error) }));
    const db = await done(indexedDB.open("obverse-page"));
    const value = await done(db.transaction("records").objectStore("records").get(key));
    db.close();
    return value;
  }, name);

/** The peer ID, which belongs to the node's data. */
async function peer(page) {
  await visit(page, "settings", "Settings");
  return page.locator('dt:text-is("Peer ID") + dd .groups').textContent();
}

/** A browser's profile in which the first test creates a wallet. */
const inProfile = sharing("a wallet in the files of a browser", async (t) => {
  /** @type {import("playwright-core").BrowserContext | undefined} */
  let context;
  const site = await serveApp();
  const profile = folder(t, async () => {
    await context?.close();
    await site.close();
  });
  const begin = async () => (context = await open(profile));
  return { profile, site, begin };
});

inProfile("a reload opens the wallet again, and the passphrase is nowhere in clear", async (t, { profile, site, begin }) => {
  const context = await begin();
  const said = [];
  context.on("console", (message) => message.location().url.endsWith("/livez") || said.push(message.text()));
  const page = await context.newPage();
  await page.goto(site.url);
  await restore(page);
  const id = await peer(page);
  await page.reload();
  await isOpen(page);
  assert.equal(await peer(page), id);
  assert.match(await record(page, "open"), /^[0-9a-f-]{36}$/, "a name alone");
  const secrets = [WORDS, WORDS.split(" ").slice(0, 3).join(" "), PASSWORD];
  const all = await everythingOf(page);
  assert.doesNotMatch(all, /CryptoKey/);
  assert.match(all, /obverse\.db/);
  for (const secret of secrets) {
    assert(![all, ...said].join("\n").includes(secret), "a secret is in the page");
  }
  await context.close();
  for (const secret of secrets) {
    assert.deepEqual(filesWith(profile, secret), [], "a secret is in a file of the browser");
  }
  assert.notDeepEqual(filesWith(profile, "obverse-page"), [], "nothing is found in the files at all");
  assert.deepEqual(said, []);
});

inProfile("the session ends with the browser", async (t, { site, begin }) => {
  const again = await (await begin()).newPage();
  await again.goto(site.url);
  await isLocked(again);
  await unlock(again);
  await isOpen(again);
});

/** A wallet that the page created itself, in which time passes when a test advances it. */
const inRestored = sharing("a wallet that was restored", async (t) => {
  const opened = await browser(t);
  await opened.context.clock.install();
  const page = await opened.context.newPage();
  await page.goto(opened.url);
  await restore(page);
  return { ...opened, page };
});

inRestored("a wallet is kept as a vault of 600,000 rounds, with the public key of its node", async (t, { page }) => {
  const { use, origin, page: kept, ...more } = await record(page, "profile");
  assert.match(origin, /^[0-9a-f]{16}$/);
  const { vault, ...open } = kept;
  assert.deepEqual([use, open, more], ["page", { kind: "passphrase", publicKey: profileOf(WORDS).publicKey }, {}]);
  assert.deepEqual([Object.keys(vault).sort(), vault.salt.length, vault.iv.length, vault.iterations], [["data", "iterations", "iv", "salt"], 16, 12, 600_000]);
});

inRestored("the wallet locks itself after no input in any tab", async (t, { context, page, url }) => {
  await page.clock.runFor("07:00");
  await page.keyboard.press("Shift");
  await page.clock.runFor("07:00");
  assert.equal(await page.locator(".status").getAttribute("data-state"), "on", "a key was pressed meanwhile");
  const second = await context.newPage();
  await second.goto(url);
  await isOpen(second);
  await second.clock.runFor("07:00");
  await second.mouse.click(400, 300);
  await page.clock.runFor("07:00");
  assert.equal(await page.locator(".status").getAttribute("data-state"), "on", "the other tab had input");
  await page.clock.runFor("10:00");
  await second.clock.runFor("10:00");
  await isLocked(page);
  await isLocked(second);
  await page.getByText(/^Locked/).waitFor();
  assert.equal(await record(page, "open"), undefined);
});

inRestored("the wallet also locks itself if the last input was before the clock was set back", async (t, { context, page }) => {
  await Promise.all(context.pages().filter((one) => one !== page).map((one) => one.close()));
  await unlock(page);
  await isOpen(page);
  const now = await page.evaluate(() => Date.now());
  await page.clock.setSystemTime(now + 24 * 3600_000);
  await page.keyboard.press("Shift");
  await page.clock.setSystemTime(now);
  for (let n = 0; n < 3; n++) {
    await page.clock.runFor("11:00");
  }
  await isLocked(page);
});

const test = sharing("an open wallet and its lock", (t) => wallet(t));

test("locking stops the node and forgets the session; a wrong password opens nothing", async (t, { page, said }) => {
  const id = await peer(page);
  await button(page, "Lock").click();
  await isLocked(page);
  await page.waitForFunction(() => document.activeElement?.matches('input[type="password"]'));
  assert.equal(await record(page, "open"), undefined);
  assert.equal(await page.evaluate(() => sessionStorage.length), 0);
  await until(async () => (await page.evaluate(async () => (await navigator.locks.query()).held?.length)) === 0, "the node has ended");
  await page.reload();
  await isLocked(page);
  for (const size of Object.values(sizes)) {
    await page.setViewportSize(size);
    await checkAccess(page);
  }
  await page.setViewportSize(sizes.desktop);
  await picture(page, "unlock");
  await unlock(page, "not the password");
  await page.getByText("Wrong password.").waitFor();
  assert.equal(await text(page, "Password").inputValue(), "");
  assert.equal(await record(page, "open"), undefined);
  await unlock(page);
  await isOpen(page);
  assert.equal(await peer(page), id, "where it was left: the settings, and the same node");
  assert.deepEqual(said, []);
});

test("wrong passwords have to wait, longer and longer, also after a reload", async (t, { page }) => {
  await page.clock.install();
  await button(page, "Lock").click();
  const wait = page.getByText(/there is a pause: \d+ s/);
  await isLocked(page);
  await until(() => page.evaluate(() => document.activeElement?.matches('input[type="password"]')), "the view has begun to count");
  await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 60_000); // the clock stays paused until the test advances it
  for (let n = 1; n <= 4; n++) {
    await isLocked(page);
    assert.equal(await wait.isVisible(), false, `before ${n}`);
    await unlock(page, `wrong ${n}`);
    await page.getByText("Wrong password.").waitFor();
  }
  await wait.waitFor();
  await page.reload();
  await isLocked(page);
  await page.clock.runFor(200);
  await wait.waitFor();
  await text(page, "Password").fill(PASSWORD);
  assert.equal(await button(page, "Unlock").getAttribute("aria-disabled"), "true");
  await page.keyboard.press("Enter");
  await page.clock.runFor(6000);
  await wait.waitFor({ state: "hidden" });
  await unlock(page, "wrong 5");
  await page.getByText("Wrong password.").waitFor();
  await page.clock.runFor(6000);
  await wait.waitFor();
  await page.clock.runFor(5000);
  await wait.waitFor({ state: "hidden" });
  await page.clock.resume();
  await unlock(page);
  await isOpen(page);
});

test("wrong passwords in one tab do not make the right one wait in another, and a wrong one there waits", async (t, { context, page, url }) => {
  await button(page, "Lock").click();
  const wait = (tab) => tab.getByText(/there is a pause: \d+ s/);
  for (let n = 1; n <= 6; n++) {
    const tab = await context.newPage();
    await tab.goto(url);
    await isLocked(tab);
    await unlock(tab, `wrong ${n}`);
    await (n < 4 ? tab.getByText("Wrong password.") : wait(tab)).waitFor();
    await tab.close();
  }
  await unlock(page, "wrong 7");
  await page.getByText(/there is a pause: [34]\d s/).waitFor();
  const second = await context.newPage();
  await second.goto(url);
  await unlock(second);
  await isOpen(second);
  await isOpen(page);
  await button(page, "Lock").click();
  await isLocked(page);
  assert.equal(await wait(page).isVisible(), false, "the right password was entered meanwhile");
  await second.close();
  await unlock(page);
  await isOpen(page);
});

test("tabs are opened and locked together", async (t, opened) => {
  const { context, page, url, said } = opened;
  const second = await context.newPage();
  await second.goto(`${url}#/settings`);
  await isOpen(second);
  assert.equal(await peer(second), await peer(page));
  await button(second, "Lock").click();
  await isLocked(second);
  await isLocked(page);
  await page.getByText("Locked in another tab.").waitFor();
  await unlock(page);
  await isOpen(page);
  await isOpen(second);
  const id = await peer(second); // requests are not answered while the first tab closes
  await page.close();
  opened.page = second;
  await visit(second, "", "Home");
  assert.equal(await peer(second), id, "the second tab runs the node on");
  // The second tab loads the node's program, which does not fit in an in-memory cache, so it bypasses the cache.
  assert.deepEqual(said.filter((line) => !line.includes("ERR_CACHE_WRITE_FAILURE")), []);
});

test("a session ends if no tab claims it in time", async (t, { page }) => {
  await page.evaluate(() => localStorage.setItem("obverse.seen", String(Date.now() - 11 * 60_000)));
  await page.reload();
  await isLocked(page);
  assert.equal(await record(page, "open"), undefined);
  await unlock(page);
  await isOpen(page);
});

test("locking stops the node and forgets the session even if the browser's database fails", async (t, { context, page, url, said }) => {
  const second = await context.newPage();
  await second.goto(url);
  await isOpen(second);
  await page.evaluate(() => {
    IDBObjectStore.prototype.delete = () => {
      throw new Error("the disk is gone");
    };
  });
  await button(page, "Lock").click();
  await isLocked(page);
  await isLocked(second);
  await until(async () => (await page.evaluate(async () => (await navigator.locks.query()).held?.length)) === 0, "the node has ended");
  for (const tab of [page, second]) {
    await tab.reload();
    await isLocked(tab);
  }
  await second.close();
  await unlock(page);
  await isOpen(page);
  said.length = 0; // the storage is deleted
});

test("a password that was changed in one tab is the password in all", async (t, { context, page, url, said }) => {
  const second = await context.newPage();
  await second.goto(url);
  await isOpen(second);
  const change = async (old, next) => {
    await visit(page, "settings", "Settings");
    await page.getByText("Change the password").click();
    await text(page, "Current password").fill(old);
    await text(page, "New password").fill(next);
    await button(page, "Change").click();
    await page.getByText("Password changed.").waitFor();
  };
  await change(PASSWORD, "another quiet battery");
  await button(page, "Lock").click();
  await isLocked(second);
  await unlock(second, PASSWORD);
  await second.getByText("Wrong password.").waitFor();
  await unlock(second, "another quiet battery");
  await isOpen(second);
  await second.close();
  await isOpen(page);
  await page.reload();
  await isOpen(page);
  await change("another quiet battery", PASSWORD);
  assert.deepEqual(said.splice(0).filter((line) => !line.includes("ERR_CACHE_WRITE_FAILURE")), []);
});

test("who forgot the password restores from words: the data stay if they are the same", async (t, { page, said }) => {
  const id = await peer(page);
  const forget = async () => {
    await button(page, "Lock").click();
    await page.getByText("Forgot your password?").click();
    await button(page, "Restore from words").click();
  };
  await forget();
  await restore(page, { password: "another password" });
  assert.equal(await peer(page), id);
  await button(page, "Lock").click();
  await unlock(page);
  await page.getByText("Wrong password.").waitFor();
  await unlock(page, "another password");
  await isOpen(page);

  await forget();
  await button(page, /^Restore a wallet/).click();
  await text(page, "Recovery phrase or private key").fill("zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo wrong");
  await button(page, "Continue").click();
  await text(page, "New password").fill(PASSWORD);
  await button(page, "Restore the wallet").click();
  await isOpen(page);
  const next = await peer(page);
  assert.notEqual(next, id, "other words are another wallet");

  await page.getByText("Another wallet in this page").click();
  await button(page, "Set up another wallet").click();
  await button(page, /^Use an external wallet/).click();
  await button(page, "Continue").click();
  await isOpen(page);
  assert.notEqual(await peer(page), next);
  assert.equal(await button(page, "Lock").count(), 0);
  assert.deepEqual(said, []);
});
