/**
 * What the tests of the wallet page share: a server of dist/app under the policy that a
 * site should have, a browser, and steps that most tests begin with.
 *
 *   const { page, said } = await wallet(t);       // a page with an open wallet in it
 *   await visit(page, "settings", "Settings");    // a view, once its heading is there
 *   await checkAccess(page);                      // axe-core finds nothing, light and dark
 */

import assert from "node:assert/strict";
import { existsSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import path from "node:path";
import { contextWith, newContext } from "../../test/contexts.js";
import { isHint, web } from "../../test/support.js";
import { seed } from "./seed.js";

export { folder, until } from "../../test/support.js";

/** How much faster time goes by in tests of what comes with time: a node's next look at its chain, a page's at its node. */
export const FAST = 4;

/** The policy under which the page is served. */
export const policy = [
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; manifest-src 'self'",
  "connect-src 'self' https: wss: http://127.0.0.1:* ws://127.0.0.1:* http://localhost:* ws://localhost:*",
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
].join("; ");

const types = { ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".json": "application/json", ".wasm": "application/wasm", ".png": "image/png", ".webmanifest": "application/manifest+json" };

/** The page as it was built. */
export const built = path.join(web, "dist/app");

/** Makes timers of a page or a worker, and of the node in it, end sooner: a script to begin with. @param {number} speed */
const faster = (speed) => `{
  const { setTimeout: later, setInterval: often } = globalThis;
  const now = performance.now.bind(performance);
  const began = now();
  globalThis.setTimeout = (does, ms, ...given) => later(does, ms / ${speed}, ...given);
  globalThis.setInterval = (does, ms, ...given) => often(does, ms / ${speed}, ...given);
  performance.now = () => began + (now() - began) * ${speed};
}
`;

/** Scripts of workers. */
const isWorker = (/** @type {string} */ file) => /\/(worker-[\w-]+|session-worker)\.js$/.test(file);

/** What was read of builds, and of when it is. @type {Map<string, {changed: number, bytes: Buffer}>} */
const read = new Map();

/** What is in a file. @param {string} file */
function content(file) {
  const { mtimeMs: changed } = statSync(file);
  const found = read.get(file);
  if (found?.changed === changed) {
    return found.bytes;
  }
  const bytes = readFileSync(file);
  read.set(file, { changed, bytes });
  return bytes;
}

/**
 * Serves the page, at / and also in the folder /some/where/.
 * @param {Record<string, string>} [headers] instead of those that a site should have
 * @param {number} [speed] how much faster time goes by in workers
 * @param {{root: string, missing?: RegExp, fleeting?: boolean}} [from] the folder of the page, what is not there of it, which may become others,
 *   and whether the page's worker keeps no files, as that of a build without a version
 * @param {number} [port]
 * @returns {Promise<{url: string, close: () => Promise<void>}>}
 */
export async function serveApp(headers = {}, speed = 1, from = { root: built }, port = 0) {
  const server = createServer((request, answer) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const { root, missing } = from;
    const file = path.join(root, pathname.replace(/^\/some\/where\//, "/").replace(/\/$/, "/index.html"));
    const type = types[path.extname(file)];
    if (!file.startsWith(root) || !type || missing?.test(file) || !existsSync(file) || !statSync(file).isFile()) {
      answer.writeHead(pathname === "/favicon.ico" ? 204 : 404).end();
      return;
    }
    answer.writeHead(200, { "Content-Type": type, "Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff", "Cache-Control": "max-age=600", ...headers });
    speed !== 1 && isWorker(file) && answer.write(faster(speed));
    answer.end(from.fleeting && file.endsWith("session-worker.js") ? readFileSync(file, "utf8").replace(/"version":"[^"]*"/, '"version":""') : content(file));
  });
  await new Promise((resolve) => server.listen(port, "127.0.0.1", () => resolve(undefined)));
  const { port: given } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${given}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A wallet for tests: BIP 39's own example of 12 words, which holds nothing. */
export const WORDS = "legal winner thank year wave sausage worth useful legal winner thank yellow";
export const PASSWORD = "correct horse battery";

/**
 * A context in the browser of this file's tests, and a server of the page. What the console says is
 * in said, and what the policy refused: a test ends with said being empty.
 * @param {import("node:test").TestContext} t
 * @param {BrowserOptions} [options]
 */
export async function browser(t, options = {}) {
  const context = await (options.args || options.without ? contextWith(t, options.args, options.without, options.whole) : newContext(t));
  const from = { root: built, missing: options.missing, fleeting: !options.kept };
  const site = await serveApp({}, options.speed, from);
  t.after(site.close);
  options.routed && (await context.route("https://routed.invalid/**", (route) => route.abort()));
  if (options.speed) {
    await context.addInitScript({ content: faster(options.speed) });
  }
  if (!options.usual) {
    await context.addInitScript({ content: 'try { localStorage["obverse.publicservers"] ??= "off"; localStorage["obverse.prices"] ??= "off"; } catch { /* a document without an origin */ }' });
  }
  return { context, site, from, url: site.url, said: heard(context) };
}

/**
 * @typedef {object} BrowserOptions
 * @property {string[]} [args] of a browser of its own
 * @property {string[]} [without] arguments that Playwright would give that browser by itself
 * @property {RegExp} [missing] files that the page's server has not, until from.missing is another one
 * @property {boolean} [kept] whether the page's worker keeps its files, for a start without a network
 * @property {boolean} [routed] whether a test answers requests of a page that is open already. Playwright holds requests from the first route on, and would miss
 *   those of a page whose service worker takes it over just then
 * @property {boolean} [whole] whether that browser is one with windows
 * @property {boolean} [usual] whether new wallets have the usual coins, and prices are asked for; else a test activates what it needs
 * @property {number} [speed] how much faster time goes by in the page and for its node
 */

/** What the console says from now on, without what is expected. @param {import("playwright-core").BrowserContext} context */
function heard(context) {
  /** @type {string[]} */
  const said = [];
  // Asking whether a node serves the page is answered 404 where none does.
  context.on("console", (message) => message.location().url.endsWith("/livez") || isHint(message) || said.push(message.text()));
  context.on("weberror", (error) => said.push(String(error.error())));
  return said;
}

/**
 * A page with an open wallet, and a node in it. The wallet was there before: seed.js wrote it.
 * @param {import("node:test").TestContext} t
 * @param {BrowserOptions & {passphrase?: string, password?: string, hash?: string}} [options]
 */
export async function wallet(t, options = {}) {
  const opened = await unlocked(t, options);
  await isOpen(opened.page);
  return opened;
}

/**
 * The same, before its node runs.
 * @param {import("node:test").TestContext} t
 * @param {BrowserOptions & {passphrase?: string, password?: string, hash?: string}} [options]
 */
export async function unlocked(t, { passphrase = WORDS, password = PASSWORD, hash = "", ...options } = {}) {
  const opened = await browser(t, options);
  const page = await opened.context.newPage();
  await page.goto(`${opened.url}theme.js`);
  await seed(page, { passphrase, password });
  await page.goto(opened.url + hash);
  await page.getByRole("textbox", { name: "Password" }).fill(password);
  await page.getByRole("button", { name: "Unlock" }).click();
  return { ...opened, page };
}

/**
 * A page with a wallet that it restored itself.
 * @param {import("node:test").TestContext} t
 * @param {{passphrase?: string, password?: string}} [secrets]
 */
export async function restored(t, secrets = {}) {
  const opened = await browser(t);
  const page = await opened.context.newPage();
  await page.goto(opened.url);
  await restore(page, secrets);
  return { ...opened, page };
}

/**
 * Takes the first run's way "Restore". The words make an HD wallet; a passphrase that is
 * no mnemonic is one of an old Komodo wallet, with one key.
 * @param {import("playwright-core").Page} page
 */
export async function restore(page, { passphrase = WORDS, password = PASSWORD } = {}) {
  await page.getByRole("button", { name: /^Restore a wallet/ }).click();
  await page.getByLabel("Recovery phrase or private key").fill(passphrase);
  await page.getByRole("button", { name: "Continue" }).click();
  const refused = page.getByText("These words are not valid.");
  const next = page.getByRole("textbox", { name: "New password" });
  await refused.or(next).waitFor();
  if (await refused.isVisible()) {
    await page.getByText("Old Komodo wallet").click();
    await page.getByLabel("Passphrase", { exact: true }).fill(passphrase);
    await page.getByRole("button", { name: "Open as a passphrase" }).click();
  }
  await next.fill(password);
  await page.getByRole("button", { name: "Restore the wallet" }).click();
  await isOpen(page);
}

/** Waits until the wallet is open and its node runs. @param {import("playwright-core").Page} page */
export async function isOpen(page) {
  await page.locator('.status[data-state="on"]').waitFor();
}

/**
 * Goes to a view and waits for its heading; one that was there before does not count.
 * @param {import("playwright-core").Page} page
 * @param {string} name its path
 * @param {string | RegExp} heading
 */
export async function visit(page, name, heading) {
  await page.evaluate(async (hash) => {
    const before = location.href;
    const gone = new Promise((resolve) => addEventListener("hashchange", resolve, { once: true }));
    location.hash = hash;
    await (location.href === before || gone);
  }, `#/${name}`);
  await page.getByRole("heading", { level: 1, name: heading }).waitFor();
}

/**
 * Waits until the view's heading has the focus, which it takes a moment after it is shown:
 * keys that are pressed before go elsewhere.
 * @param {import("playwright-core").Page} page
 */
export const headingFocused = (page) => page.waitForFunction(() => document.activeElement?.tagName === "H1");

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** The rules of axe-core that a colour scheme can break; the others find the same in light and in dark. */
const OF_COLOURS = ["color-contrast", "link-in-text-block"];

/**
 * Fails if axe-core finds anything in the page as it is, in light or in dark. Asks for
 * WCAG 2.2 AA and for axe's best practices.
 * @param {import("playwright-core").Page} page
 */
export async function checkAccess(page) {
  for (const colorScheme of /** @type {const} */ (["dark", "light"])) {
    await page.emulateMedia({ colorScheme });
    if (!(await page.evaluate(() => "axe" in globalThis))) {
      await page.evaluate(axe);
    }
    const found = await page.evaluate(async (rules) => {
      const { violations } = await globalThis.axe.run(document, { resultTypes: ["violations"], ...(rules && { runOnly: { type: "rule", values: rules } }) });
      return violations.map(({ id, help, nodes }) => `${id}: ${help}\n${nodes.map(({ html, failureSummary }) => `  ${html}\n  ${failureSummary}`).join("\n")}`);
    }, colorScheme === "dark" ? OF_COLOURS : null);
    assert.deepEqual(found, [], `axe in ${colorScheme}`);
  }
}

/** The sizes at which pages are looked at. */
export const sizes = { desktop: { width: 1100, height: 760 }, phone: { width: 360, height: 740 } };

/**
 * Fails if something sticks out of the page sideways, which makes a phone scroll.
 * @param {import("playwright-core").Page} page
 */
export async function checkWidth(page) {
  const { wide, shown } = await page.evaluate(() => ({ wide: document.documentElement.scrollWidth, shown: document.documentElement.clientWidth }));
  assert(wide <= shown, `the page is ${wide} wide, and ${shown} are shown`);
}

/**
 * Pictures of the page in light, dark and on a phone, if SCREENSHOTS names a folder.
 * @param {import("playwright-core").Page} page
 * @param {string} name
 * @param {{fullPage?: boolean}} [options] fullPage: all of it, and not what fits the window
 */
export async function picture(page, name, { fullPage = false } = {}) {
  const { SCREENSHOTS } = process.env;
  if (!SCREENSHOTS) {
    return;
  }
  for (const [size, viewport] of Object.entries(sizes)) {
    await page.setViewportSize(viewport);
    for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: path.join(SCREENSHOTS, `${name}-${size}-${colorScheme}.png`), fullPage });
    }
  }
  await page.setViewportSize(sizes.desktop);
  await page.emulateMedia({ colorScheme: "light" });
}
