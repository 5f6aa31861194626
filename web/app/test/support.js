/**
 * Shared by the tests of the wallet page: a server for dist/app with the policy that a site should have, a browser, and
 * common steps.
 *
 *   const { page, said } = await wallet(t);       // a page with an open wallet in it
 *   await visit(page, "settings", "Settings");    // a view, once its heading is there
 *   await checkAccess(page);                      // fails if axe-core reports anything, in light or dark
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

/** The factor by which time passes faster in tests that depend on polling, by a node of its chain or by a page of its node. */
export const FAST = 4;

/** The policy under which the page is served. */
export const policy = [
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; manifest-src 'self'",
  "connect-src 'self' https: wss: http://127.0.0.1:* ws://127.0.0.1:* http://localhost:* ws://localhost:*",
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
].join("; ");

const types = { ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".json": "application/json", ".wasm": "application/wasm", ".png": "image/png", ".webmanifest": "application/manifest+json" };

/** The folder of the built page. */
export const built = path.join(web, "dist/app");

/** Returns a script that makes timers of a page or a worker, including its node, fire sooner. @param {number} speed */
const faster = (speed) => `{
  const { setTimeout: later, setInterval: often } = globalThis;
  const now = performance.now.bind(performance);
  const began = now();
  globalThis.setTimeout = (does, ms, ...given) => later(does, ms / ${speed}, ...given);
  globalThis.setInterval = (does, ms, ...given) => often(does, ms / ${speed}, ...given);
  performance.now = () => began + (now() - began) * ${speed};
}
`;

/** Reports whether a file is the script of a worker. */
const isWorker = (/** @type {string} */ file) => /\/(worker-[\w-]+|session-worker)\.js$/.test(file);

/** Cached files of builds, with the time of their last change. @type {Map<string, {changed: number, bytes: Buffer}>} */
const read = new Map();

/** Returns the content of a file. @param {string} file */
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
 * Serves the page at / and also in the folder /some/where/.
 * @param {Record<string, string>} [headers] the response headers, instead of those that a site should have
 * @param {number} [speed] the factor by which time passes faster in workers
 * @param {{root: string, missing?: RegExp, fleeting?: boolean}} [from] root: the folder of the page; missing: files that are not served,
 *   which a test may change; fleeting: whether the page's worker caches no files, as in a build without a version
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

/** A wallet for tests: the 12 words of an example in BIP 39, which have no coins. */
export const WORDS = "legal winner thank year wave sausage worth useful legal winner thank yellow";
export const PASSWORD = "correct horse battery";

/**
 * Opens a context in the browser of this file's tests, and a server for the page. The array said
 * has the console messages and the violations of the policy. It must be empty at the end of a test.
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
 * @property {string[]} [args] arguments of a separate browser
 * @property {string[]} [without] Playwright's default arguments to omit for that browser
 * @property {RegExp} [missing] files that the server does not serve, until from.missing changes
 * @property {boolean} [kept] whether the page's worker caches files, for starts without a network
 * @property {boolean} [routed] whether a test answers requests of a page that is open already. Playwright holds requests from the first route on, and would miss
 *   those of a page whose service worker takes it over just then
 * @property {boolean} [whole] whether that browser has windows
 * @property {boolean} [usual] whether new wallets have the default coins and prices are requested; otherwise a test activates the coins
 *   that it needs
 * @property {number} [speed] the factor by which time passes faster in the page and its node
 */

/** Collects console messages from then on, except for expected ones. @param {import("playwright-core").BrowserContext} context */
function heard(context) {
  /** @type {string[]} */
  const said = [];
  // The page asks whether a node serves it. The response is 404 if none does.
  context.on("console", (message) => message.location().url.endsWith("/livez") || isHint(message) || said.push(message.text()));
  context.on("weberror", (error) => said.push(String(error.error())));
  return said;
}

/**
 * Opens a page with an open wallet and its node. The wallet exists before; it is written by
 * seed.js.
 * @param {import("node:test").TestContext} t
 * @param {BrowserOptions & {passphrase?: string, password?: string, hash?: string}} [options]
 */
export async function wallet(t, options = {}) {
  const opened = await unlocked(t, options);
  await isOpen(opened.page);
  return opened;
}

/**
 * Does the same, without waiting for the node.
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
 * Opens a page with a wallet that was restored in it.
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
 * Restores a wallet in the first run. Words are restored as an HD wallet, and any other passphrase
 * as an old Komodo wallet with one key.
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
 * Opens a view and waits for its heading. The heading of the previous view is not accepted.
 * @param {import("playwright-core").Page} page
 * @param {string} name the path of the view
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
 * Waits until the view's heading has the focus, a moment after it is displayed. Keys that are
 * pressed earlier go to another element.
 * @param {import("playwright-core").Page} page
 */
export const headingFocused = (page) => page.waitForFunction(() => document.activeElement?.tagName === "H1");

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** The rules of axe-core that depend on the colour scheme. The results of all others are the same in light and dark. */
const OF_COLOURS = ["color-contrast", "link-in-text-block"];

/**
 * Fails if axe-core reports anything in the current page, in light or in dark. It applies the rules
 * of WCAG 2.2 AA and axe's best practices.
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

/** The sizes in which pages are checked. */
export const sizes = { desktop: { width: 1100, height: 760 }, phone: { width: 360, height: 740 } };

/**
 * Fails if an element overflows the page horizontally, since a phone would then scroll.
 * @param {import("playwright-core").Page} page
 */
export async function checkWidth(page) {
  const { wide, shown } = await page.evaluate(() => ({ wide: document.documentElement.scrollWidth, shown: document.documentElement.clientWidth }));
  assert(wide <= shown, `the page is ${wide} wide, and ${shown} are shown`);
}

/**
 * Takes pictures of the page in light, dark and on a phone, if SCREENSHOTS names a folder.
 * @param {import("playwright-core").Page} page
 * @param {string} name
 * @param {{fullPage?: boolean}} [options] fullPage: the whole page instead of the visible part
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
