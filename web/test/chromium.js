/** Shared by the tests in Chromium: a site with the test page, browsers and tabs. */

import assert from "node:assert/strict";
import { after, before, test as plain } from "node:test";
import { newContext } from "./contexts.js";
import { config, folder, isHint, open, owner, query, serve, until } from "./support.js";

/** A test with a timeout, since waiting for a browser that is gone would never end. */
export const test = (name, does) => plain(name, { timeout: 400000 }, does);

/** The site with the test page and the package. Each test file has its own. @type {Awaited<ReturnType<typeof serve>>} */
export let site;
before(async () => (site = await serve()));
after(() => site.close());

/** Returns the context after subscribing to its console messages. @param {import("playwright-core").BrowserContext} context */
function heard(context) {
  /** @type {string[]} */
  const said = [];
  context.on("console", (message) => isHint(message) || said.push(message.text()));
  context.on("weberror", (error) => said.push(String(error.error())));
  return Object.assign(context, { said });
}

/** Opens a context in the browser of this file's tests. @param {import("node:test").TestContext} t */
export const browser = async (t) => heard(await newContext(t));

/** Opens a browser with a separate profile on disk. @param {import("node:test").TestContext} t */
export async function ownBrowser(t) {
  /** @type {import("playwright-core").BrowserContext | undefined} */
  let context;
  const profile = folder(t, () => context?.close());
  context = await open(profile);
  return heard(context);
}

/** Opens the test page. */
export async function visit(context, path = "") {
  const page = await context.newPage();
  await page.goto(site.url + path);
  return page;
}

/** Opens a tab that starts a node and makes a first request. */
export async function tab(context, conf = config(), more = {}) {
  const page = await visit(context, query(conf, more));
  await begun(page);
  return page;
}

/** Waits until the tab's node has responded, also after a reload. */
export async function begun(page) {
  assert.match(await page.evaluate(() => globalThis.begun), /^0[23][0-9a-f]{64}$/);
}

export const status = (page) => page.evaluate(() => globalThis.node.status());
export const daemon = (page, ...call) => page.evaluate((args) => globalThis.node.daemon(...args), call);
export const rpc = (page, ...call) => page.evaluate((args) => globalThis.node.rpc(...args), call);

/** Returns the error of a call. */
export const rejection = (page, interfaceName, ...call) =>
  page.evaluate(
    ([name, args]) =>
      globalThis.node[name](...args).then(
        (value) => ({ value }),
        ({ name, kind, status, message, data }) => ({ name, kind, status, message, data }),
      ),
    [interfaceName, call],
  );

/** Creates a token on the page's chain and waits until it is in a block. */
export async function create(page, name) {
  const { hex } = await daemon(page, "tokencreate", name, "10", "made in a test");
  const id = await daemon(page, "sendrawtransaction", hex);
  await until(async () => (await daemon(page, "tokenlist")).includes(id));
  return id;
}

export { config, owner, until };
