/** Access to an open session from other tabs, other pages and other sites, and how it ends. */

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test as plain } from "node:test";
import { sharing } from "../../test/sharing.js";
import { folder, open, until } from "../../test/support.js";
import { button, heading, text } from "./steps.js";
import { browser, isOpen, PASSWORD, restore, serveApp, wallet } from "./support.js";

const test = (name, does) => plain(name, { timeout: 400000 }, does);

const isLocked = (page) => heading(page, "Unlock");
const why = (page) => page.getByText(/^The page was closed or reloaded, and no other tab has the wallet open\./).waitFor();

async function unlock(page) {
  await isLocked(page);
  await page.waitForFunction(() => document.activeElement?.matches('input[type="password"]'));
  await page.keyboard.insertText(PASSWORD);
  await page.keyboard.press("Enter");
  await isOpen(page);
}

/** Returns the id of the current session and the page's ticket for it. */
const names = (page) =>
  page.evaluate(async () => {
    const done = (request) => new Promise((resolve, reject) => Object.assign(request, { onsuccess: () => resolve(request.result), onerror: () => reject(request.error) }));
    const db = await done(indexedDB.open("obverse-page"));
    const name = await done(db.transaction("records").objectStore("records").get("open"));
    db.close();
    return { name, own: sessionStorage.getItem("obverse.open") };
  });

/** The service worker's response to a claim with the session's name and this ticket; "silent" if it does not respond. */
const claim = (page, name, ticket) =>
  page.evaluate(async (wanted) => {
    const found = await navigator.serviceWorker.getRegistration("/");
    if (!found?.active) {
      return "no worker";
    }
    const { port1, port2 } = new MessageChannel();
    const answer = new Promise((resolve) => {
      port1.onmessage = ({ data }) => resolve(data);
      setTimeout(resolve, 3000, "silent");
    });
    found.active.postMessage({ claim: wanted }, [port2]);
    return answer;
  }, { id: name, ticket });

/** The tabs' responses to a request with the session's name and a new key, and how many tabs responded. */
const ask = (page, name) =>
  page.evaluate(async (id) => {
    const channel = new BroadcastChannel("obverse-session");
    const pair = await crypto.subtle.generateKey({ name: "ECDH", namedCurve: "P-256" }, false, ["deriveKey"]);
    const heard = [];
    channel.onmessage = ({ data }) => heard.push(Object.keys(data).sort().join());
    for (const key of [await crypto.subtle.exportKey("raw", pair.publicKey), "nonsense", null]) {
      channel.postMessage({ ask: id, key });
    }
    channel.postMessage({});
    channel.postMessage({ ask: id });
    await new Promise((resolve) => setTimeout(resolve, 1500));
    channel.close();
    return heard;
  }, name);

const inWallet = sharing("an open wallet and others", (t) => wallet(t));

inWallet("tabs reloaded at the same time keep the session, each with its own ticket", async (t, { context, page, url }) => {
  const second = await context.newPage();
  await second.goto(url);
  await isOpen(second);
  assert.notEqual((await names(page)).own, (await names(second)).own);
  await Promise.all([page.reload(), second.reload()]);
  await isOpen(page);
  await isOpen(second);
  await second.close();
});

inWallet("another page of the same site gets nothing of the worker, and the wallet shows nothing in a frame", async (t, { context, page, url }) => {
  const foreign = await context.newPage();
  t.after(() => foreign.close());
  await foreign.goto(`${url}theme.js`);
  const { name, own } = await names(page);
  await page.reload();
  await isOpen(page);
  assert.equal(await claim(foreign, name, own), "silent");
  assert.equal((await claim(page, name, own)).page.hd, true);
  const headless = await serveApp({ "Content-Security-Policy": "" });
  t.after(headless.close);
  const framing = createServer((request, answer) => answer.setHeader("Content-Type", "text/html").end(`<iframe src="${headless.url}"></iframe>`));
  await new Promise((resolve) => framing.listen(0, "127.0.0.1", () => resolve(undefined)));
  t.after(() => framing.close().closeAllConnections());
  await foreign.goto(`http://127.0.0.1:${/** @type {import("node:net").AddressInfo} */ (framing.address()).port}/`);
  await foreign.frameLocator("iframe").getByText("This wallet does not run inside another page.").waitFor();
  assert.equal(await foreign.frameLocator("iframe").locator("button").count(), 0);
});

inWallet("another port is another site: it hears nothing and gets nothing", async (t, { context, page }) => {
  const { name, own } = await names(page);
  const site = await serveApp();
  t.after(site.close);
  const foreign = await context.newPage();
  t.after(() => foreign.close());
  await foreign.goto(site.url);
  await heading(foreign, "Welcome to Obverse");
  assert.deepEqual(await ask(foreign, name), []);
  assert.equal(await claim(foreign, name, own), "no worker");
});

inWallet("of three tabs one is reloaded, one closed, one killed: the last goes on, and then nothing does", async (t, opened) => {
  const { context, page, url, said } = opened;
  const [second, third] = [await context.newPage(), await context.newPage()];
  for (const tab of [second, third]) {
    await tab.goto(url);
    await isOpen(tab);
  }
  await page.reload(); // this tab ran the node
  await isOpen(page);
  await page.close();
  await isOpen(second);
  const killed = second.waitForEvent("crash");
  await second.goto("chrome://crash").catch(() => {});
  await killed;
  await third.reload();
  await isOpen(third);
  const gone = third.waitForEvent("crash");
  await third.goto("chrome://crash").catch(() => {});
  await gone;
  const next = await context.newPage();
  await next.goto(url);
  await unlock(next);
  for (const tab of [second, third]) {
    await tab.close();
  }
  opened.page = next;
  said.length = 0; // pages crashed
});

inWallet("a lock in one tab is a lock in all, and neither tabs nor the worker have the session after it", async (t, { context, page, url, said }) => {
  const others = [await context.newPage(), await context.newPage()];
  for (const tab of others) {
    await tab.goto(url);
    await isOpen(tab);
  }
  const { name, own } = await names(others[0]);
  await others[0].reload(); // the worker holds it for some seconds
  await isOpen(others[0]);
  assert.equal((await claim(page, name, own)).page.hd, true, "the worker has it");
  assert.deepEqual(await ask(page, name), Array(3).fill("ask,key,sealed"), "each tab answers, and to what is no question none does");
  await button(page, "Lock").click();
  for (const tab of [page, ...others]) {
    await isLocked(tab);
  }
  assert.deepEqual(await names(page), { name: undefined, own: null });
  assert.equal(await claim(page, name, own), null);
  assert.deepEqual(await ask(page, name), []);
  for (const tab of [page, ...others]) {
    await tab.reload();
    await isLocked(tab);
  }
  for (const tab of others) {
    await tab.close();
  }
  await unlock(page);
  assert.deepEqual(said, []);
});

inWallet("a tab that is reloaded while another one locks stays locked", async (t, { context, page, url }) => {
  const second = await context.newPage();
  await second.goto(url);
  await isOpen(second);
  const reload = second.reload({ waitUntil: "commit" });
  await button(page, "Lock").click();
  await reload;
  await isLocked(page);
  await isLocked(second);
  await second.reload();
  await isLocked(second);
  await second.close();
  await unlock(page);
});

inWallet("a new tab does not get what a closed one left for its reload, even if it asks by the session's name", async (t, { context, page, url }) => {
  const { name, own } = await names(page);
  const blank = await context.newPage();
  await page.close();
  await blank.goto(url);
  await isLocked(blank);
  assert.equal((await names(blank)).name, name, "every page of the site can read the name");
  for (const ticket of [undefined, "", name]) {
    assert.equal(await claim(blank, name, ticket), null);
  }
  assert.equal((await claim(blank, name, own)).page.hd, true, "the ticket was the closed tab's alone");
});

test("a session left by a tab expires after ten seconds, and its name alone gives no access", async (t) => {
  const { page, url } = await wallet(t, { speed: 10 });
  const { name, own } = await names(page);
  await page.goto("about:blank");
  await new Promise((resolve) => setTimeout(resolve, 1100)); // 11 seconds of the worker's time
  await page.goto(url);
  await why(page);
  assert.equal(await claim(page, name, own), null);
});

test("tabs restored by the browser are locked and show the reason", async (t) => {
  const profile = folder(t, async () => {
    await context.close();
    await site.close();
  });
  const site = await serveApp();
  let context = await open(profile);
  const page = await context.newPage();
  await page.goto(site.url);
  await restore(page);
  const before = await names(page);
  await context.close();
  context = await open(profile, ["--restore-last-session"]);
  await until(() => context.pages().some((one) => one.url().startsWith(site.url)), "the tab is restored");
  const again = context.pages().find((one) => one.url().startsWith(site.url));
  await why(again);
  assert.equal((await names(again)).name, before.name, "the name is still there, and opens nothing");
  await unlock(again);
});

test("a page in the back/forward cache forgets the session", async (t) => {
  const { context, page, url } = await wallet(t, { without: ["--disable-back-forward-cache"], whole: true });
  const watch = () => page.evaluate(() => addEventListener("pageshow", ({ persisted }) => (globalThis.persisted = persisted)));
  await watch();
  await page.goto("about:blank");
  await page.goBack({ waitUntil: "commit" });
  await why(page);
  assert.equal(await page.evaluate(() => globalThis.persisted), true, "the browser kept the page");
  await unlock(page);
  const second = await context.newPage();
  await second.goto(url);
  await isOpen(second);
  await page.goto("about:blank");
  await isOpen(second);
  await page.goBack({ waitUntil: "commit" });
  await isOpen(page);
  await page.goto("about:blank");
  await button(second, "Lock").click();
  await isLocked(second);
  await page.goBack({ waitUntil: "commit" });
  await isLocked(page);
  await second.close();
  await unlock(page);
});
