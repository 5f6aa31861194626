/** A site of another origin than the wallet, with a page that uses the wallet page as its wallet: dapp/page.js. */

import { createServer } from "node:http";
import path from "node:path";
import { build } from "esbuild";
import { web } from "../../test/support.js";

/** The script of the site's page, which is built once. @type {Promise<string> | undefined} */
let script;

async function bundle() {
  const { outputFiles } = await build({ entryPoints: [path.join(web, "app/test/dapp/page.js")], absWorkingDir: web, bundle: true, write: false, format: "esm", platform: "browser", logLevel: "warning" });
  return /** @type {import("esbuild").OutputFile} */ (outputFiles[0]).text;
}

/**
 * Serves the site until the test ends.
 * @param {import("node:test").TestContext} t
 * @param {Record<string, string>} [headers]
 */
export async function serveSite(t, headers = {}) {
  const text = await (script ??= bundle());
  const server = createServer((request, answer) => {
    const isScript = request.url === "/page.js";
    answer.writeHead(request.url === "/favicon.ico" ? 204 : 200, { "Content-Type": isScript ? "text/javascript" : "text/html; charset=utf-8", ...headers });
    answer.end(isScript ? text : '<!doctype html><html lang="en"><title>A site</title><script type="module" src="/page.js"></script>');
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  t.after(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return `http://127.0.0.1:${port}`;
}

/**
 * Opens a tab with the site.
 * @param {import("playwright-core").BrowserContext} context
 * @param {string} site
 * @param {string} wallet the wallet page's URL
 */
export async function visitSite(context, site, wallet) {
  const page = await context.newPage();
  await page.goto(`${site}/?wallet=${encodeURIComponent(wallet)}`);
  await page.waitForFunction("globalThis.wallet");
  return page;
}

/**
 * Starts an expression in the site's page and returns an object whose method end resolves to {result} or {code, message}.
 * Waiting for the start does not wait for the result.
 * @param {import("playwright-core").Page} page
 * @param {string} does an expression
 */
export function begin(page, does) {
  const end = page.evaluate(`(async () => ${does})().then(
    (result) => ({ result }),
    (error) => ({ code: error.code ?? error.cause?.code, message: error.shortMessage ?? error.message }),
  )`);
  return { end: () => /** @type {Promise<{result?: any, code?: number, message?: string}>} */ (end) };
}
