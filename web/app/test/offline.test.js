/** The page without its server: it is installed and cached by its service worker, and a new build replaces it completely or not at all. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test as plain } from "node:test";
import { newContext } from "../../test/contexts.js";
import { accounts, activate, amount, cosmosChain } from "./money.js";
import { button, heading, text } from "./steps.js";
import { usualWorld } from "./usual.js";
import { browser, built, checkAccess, checkWidth, FAST, folder, isOpen, PASSWORD, picture, restore, serveApp, sizes, until, visit, wallet } from "./support.js";

const test = (name, does) => plain(name, { timeout: 400000 }, does);

/**
 * Returns the names of the page's caches, and whether each has the complete build and the program.
 * @param {import("playwright-core").Page} page
 */
const cachesOf = (page) =>
  page.evaluate(async () => {
    const names = (await caches.keys()).filter((name) => name.startsWith("obverse-shell "));
    return Promise.all(
      names.map(async (name) => {
        const urls = (await (await caches.open(name)).keys()).map(({ url }) => url);
        return { name, whole: urls.some((url) => url.endsWith("/?complete")), files: urls.map((url) => url.split("/").at(-1)) };
      }),
    );
  });

/**
 * Waits until one complete build and the program are cached, and returns the name of the cache.
 * @param {import("playwright-core").Page} page
 */
async function kept(page, program = /^obverse-[\w-]+\.wasm$/) {
  let found;
  await until(async () => {
    found = await cachesOf(page);
    return found.length === 1 && found[0].whole && found[0].files.some((file) => program.test(file));
  }, "the page is kept");
  return found[0].name;
}

const unlock = async (page) => {
  await heading(page, "Unlock");
  await text(page, "Password").fill(PASSWORD);
  await button(page, "Unlock").click();
  await isOpen(page);
};

test("the page can be installed: its manifest and its icons, which show its sign", async (t) => {
  const { context, url, said } = await browser(t, { kept: true });
  const page = await context.newPage();
  await page.goto(url);
  await heading(page, "Welcome to Obverse");
  const manifest = await page.evaluate(async () => (await fetch(document.querySelector('link[rel="manifest"]').href)).json());
  assert.deepEqual([manifest.name, manifest.display, manifest.start_url, manifest.scope], ["Obverse", "standalone", "./", "./"]);
  const session = await context.newCDPSession(page);
  assert.deepEqual((await session.send("Page.getInstallabilityErrors")).installabilityErrors.filter(({ errorId }) => errorId !== "in-incognito"), []);
  assert.deepEqual((await session.send("Page.getAppManifest")).errors, []);
  // The build draws the PNG files. The browser's rendering of the SVG is almost the same.
  const difference = await page.evaluate(async () => {
    const drawn = async (/** @type {string} */ src, size = 192) => {
      const image = Object.assign(new Image(), { src });
      await image.decode();
      const canvas = Object.assign(document.createElement("canvas"), { width: size, height: size });
      const drawing = canvas.getContext("2d");
      drawing.drawImage(image, 0, 0, size, size);
      return { width: image.naturalWidth, data: drawing.getImageData(0, 0, size, size).data };
    };
    const [svg, png] = [await drawn("icon.svg"), await drawn("icon-192.png")];
    const white = png.data.filter((value, n) => n % 4 === 0 && value === 255).length;
    return { width: png.width, white, far: svg.data.reduce((count, value, n) => count + Number(Math.abs(value - png.data[n]) > 48), 0) };
  });
  assert.equal(difference.width, 192);
  assert(difference.white > 1000, `${difference.white} pixels of the sign`);
  assert(difference.far < 200, `${difference.far} values differ`);
  assert.deepEqual(said, []);
});

test("without its server and a network the page opens, unlocks and shows what was known last", async (t) => {
  const chain = await cosmosChain(t);
  const { context, page: first, site, url } = await wallet(t, { passphrase: accounts.user.passphrase, kept: true });
  await activate(first, [chain]);
  await visit(first, "", "Home");
  const value = String(Number(chain.has(accounts.user.address, "uatom")) / 1e6);
  await amount(first, value).waitFor();
  await kept(first);
  await kept(first, /^obverse\.cosmos-/);
  await first.close();
  await site.close();
  chain.fail();
  await context.setOffline(true);

  const page = await context.newPage();
  const answer = await page.goto(url);
  assert.match(answer?.headers()["content-security-policy"] ?? "", /default-src 'none'/, "what is kept has the policy");
  await unlock(page);
  await page.getByText("Offline. Balances and histories may be outdated, and you cannot send coins.").waitFor();
  await amount(page, value).waitFor();
  await page.getByText(/Balance as of /).waitFor();
  assert.equal(await page.getByText("retries until one of its servers answers").count(), 0, "the missing network is reported once");
  await checkAccess(page);
  await picture(page, "offline");
  await visit(page, "coin/ATOM", /Cosmos/);
  await amount(page, value).waitFor();
  await page.getByText(/Balance as of /).waitFor();
  await page.getByTitle(accounts.user.address).waitFor();
  await visit(page, "settings", "Settings");
  await visit(page, "activity", "Activity");
  await page.reload();
  await isOpen(page);
});

test("without a network the last values are shown, with their time", async (t) => {
  const { context, site, url } = await browser(t, { usual: true, kept: true });
  const world = await usualWorld(t, context, { dead: [] });
  const first = await context.newPage();
  await first.goto(url);
  await restore(first, { passphrase: world.passphrase });
  for (const value of ["$4,480.68", "$3,703.70"]) {
    await first.locator(".worth", { hasText: value }).waitFor();
  }
  await kept(first);
  await kept(first, /^obverse\.cosmos-/);
  await first.close();
  await site.close();
  await context.setOffline(true);

  const page = await context.newPage();
  await page.goto(url);
  await unlock(page);
  await page.locator(".worth", { hasText: "$4,480.68" }).waitFor();
  await page.locator(".worth", { hasText: "$3,703.70" }).waitFor();
  await page.getByText(/^Values as of .*\d:\d\d/).waitFor();
  await until(async () => /^\$9,\d{3}\.\d\d/.test(await page.locator(".total").innerText()), "the sum of them");
  await checkAccess(page);
  await picture(page, "offline-values");
});

test("prices that are not refreshed for 15 minutes are shown with their time, and not where nothing shows it", async (t) => {
  const { context, url } = await browser(t, { usual: true, speed: FAST });
  const world = await usualWorld(t, context, { dead: [] });
  const page = await context.newPage();
  await page.goto(url);
  await restore(page, { passphrase: world.passphrase });
  const [value, under] = [page.locator(".worth", { hasText: "$3,703.70" }), page.locator(".summary .under")];
  await value.waitFor();
  let refused = 0;
  await context.route("https://api.coingecko.com/**", (route) => (refused++, route.fulfill({ status: 500, headers: { "Access-Control-Allow-Origin": "*" } })));
  await until(() => refused > 0, "prices are requested again");
  await under.getByText("in 24 hours").waitFor();
  /** Makes the page believe that time has passed, without locking the wallet. */
  const pass = (/** @type {number} */ minutes) =>
    page.evaluate((ms) => {
      const now = Date.now.bind(Date);
      Date.now = () => now() + ms;
      localStorage["obverse.seen"] = String(Date.now());
      document.dispatchEvent(new Event("visibilitychange"));
    }, minutes * 60_000);
  await pass(10);
  await under.getByText("in 24 hours").waitFor();
  await pass(6);
  await under.getByText(/^Values as of .*\d:\d\d/).waitFor();
  await value.waitFor();
  assert.equal(await page.locator(".coin .up, .coin .down").count(), 0, "no change is shown as that of the last 24 hours");
  await visit(page, "send/ETH", "Send");
  await text(page, /^Amount in/).fill("0.5");
  await page.getByText("You can send").waitFor();
  assert(!(await page.locator("main").innerText()).includes("$"), "nothing is converted at an old price");
});

const BUILD = /^const BUILD = (.*);$/m;

/**
 * Creates a build with another index.html, and with another name of one script if there is one.
 * @param {string} to
 * @param {{mark: string, wrong?: boolean}} change wrong: the worker expects another index.html
 */
function another(to, { mark, wrong = false }) {
  cpSync(built, to, { recursive: true });
  const [index, worker] = [path.join(to, "index.html"), path.join(to, "session-worker.js")];
  const html = readFileSync(index, "utf8").replace("<html ", `<html data-build="${mark}" `);
  writeFileSync(index, html);
  const source = readFileSync(worker, "utf8");
  const build = JSON.parse(BUILD.exec(source)?.[1] ?? "");
  build.shell[""] = createHash("sha256").update(wrong ? "" : html).digest("hex");
  build.version = mark;
  writeFileSync(worker, source.replace(BUILD, `const BUILD = ${JSON.stringify(build)};`));
  return { root: to };
}

const buildOf = (page) => page.evaluate(() => document.documentElement.dataset.build ?? "first");

test("a new build replaces the old one at the next start; one that is not whole does not", async (t) => {
  const from = { root: built };
  const site = await serveApp({}, 1, from);
  t.after(site.close);
  const context = await newContext(t);
  await context.addInitScript({ content: 'localStorage["obverse.publicservers"] ??= "off"; localStorage["obverse.prices"] ??= "off";' });
  const page = await context.newPage();
  await page.goto(site.url);
  await restore(page);
  const old = await kept(page);

  from.root = another(path.join(folder(t), "broken"), { mark: "broken", wrong: true }).root;
  const updated = page.evaluate(() => new Promise((resolve) => navigator.serviceWorker.addEventListener("controllerchange", resolve, { once: true })));
  await page.evaluate(async () => (await navigator.serviceWorker.getRegistration())?.update());
  await updated;
  await page.reload();
  await isOpen(page);
  assert.equal(await buildOf(page), "first", "a server that has parts of two builds changes nothing");
  assert.deepEqual((await cachesOf(page)).map(({ name, whole }) => [name, whole]), [[old, true], ["obverse-shell / broken", false]]);

  const notice = page.getByText("A new version is ready.");
  assert.equal(await notice.count(), 0);
  from.root = another(path.join(folder(t), "second"), { mark: "second" }).root;
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange"))); // as if the user returned to the page
  await until(async () => (await cachesOf(page)).some(({ name, whole }) => whole && name.endsWith("second")), "the new build is kept");
  assert.equal(await buildOf(page), "first", "a page that is open stays as it is");
  await visit(page, "settings", "Settings");
  await notice.waitFor();
  await checkAccess(page);
  await picture(page, "newer");
  await page.setViewportSize(sizes.phone);
  await checkWidth(page);
  await button(page, "Reload").click();
  await until(async () => (await buildOf(page).catch(() => "")) === "second", "it is reloaded");
  await isOpen(page);
  assert.equal(await notice.count(), 0);
  assert.equal(await kept(page), "obverse-shell / second", "no page uses the other ones any more");
  await page.close();
  await site.close();
  const offline = await context.newPage();
  await offline.goto(site.url);
  assert.equal(await buildOf(offline), "second");
  await unlock(offline);
});
