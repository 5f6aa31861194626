/** Shared by the tests: a server for the built package, and a browser. */

import { createServer } from "node:http";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants } from "node:zlib";
import { chromium } from "playwright-core";

export const web = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");

/** The minimal policy that a site needs. The origin is not isolated (COOP, COEP). */
export const policy = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "manifest-src 'self'",
  "connect-src 'self' https: wss: http://127.0.0.1:* ws://127.0.0.1:* http://localhost:* ws://localhost:*",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const types = { ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".wasm": "application/wasm" };

/** A key from the tests of Komodo DeFi Framework (mm2_main). */
export const owner = { passphrase: "bob passphrase", publicKey: "022cd3021a2197361fb70b862c412bc8e44cff6951fa1de45ceabfdd9b4c520420" };

/** Returns the config of a node with that key and a chain that makes blocks immediately. */
export const config = (more = {}) => ({ passphrase: owner.passphrase, chain: { ac_name: "PAGE", ac_supply: 1000, ac_reward: 100000000, ac_cc: 2, blockinterval: 0 }, ...more });

/** The timeout for expected conditions in ms, which is long enough for a busy machine. */
export const PATIENCE = 60000;

/**
 * Waits until a condition holds.
 * @param {() => unknown} holds
 * @param {string} [what]
 */
export async function until(holds, what = String(holds)) {
  const start = Date.now();
  for (let pause = 10; !(await holds()); pause = Math.min(pause * 1.5, 100)) {
    if (Date.now() - start > PATIENCE) {
      throw new Error(`it did not come to be: ${what}`);
    }
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

/**
 * Serves files with the policy. Unchanged files are compressed only once.
 * @param {(pathname: string) => string} find returns the file for a path
 * @returns {Promise<{url: string, close: () => Promise<void>}>}
 */
async function serveFiles(find) {
  const packed = new Map();
  const read = (file) => {
    if (!packed.has(file)) {
      const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };
      packed.set(file, brotliCompressSync(readFileSync(file), quality));
    }
    return packed.get(file);
  };
  const server = createServer((request, answer) => {
    const { pathname } = new URL(request.url, "http://localhost");
    const file = find(pathname.includes("..") ? "/" : pathname === "/" ? "/index.html" : pathname);
    const type = types[path.extname(file)];
    if (!type || !existsSync(file)) {
      answer.writeHead(pathname === "/favicon.ico" ? 204 : 404).end();
      return;
    }
    answer.writeHead(200, { "Content-Type": type, "Content-Encoding": "br", "Content-Security-Policy": policy, "Cache-Control": "max-age=60" }).end(read(file));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${port}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Serves the built package at /dist/ and the test's page at /. */
export const serve = () => serveFiles((pathname) => path.join(web, /^\/(dist|src)\//.test(pathname) ? "" : "test/page", pathname));

/** Serves a folder. @param {string} root */
export const serveFolder = (root) => serveFiles((pathname) => path.join(root, pathname));

const browsers = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
/** Chromium without windows, which starts faster and has no profiles. */
const shells = [process.env.CHROMIUM, "/usr/lib/chromium/chromium-headless-shell", ...browsers];

/** Returns the options for starting a browser. @param {(string | undefined)[]} programs @param {string[]} args */
function options(programs, args) {
  const executablePath = programs.find((file) => file && existsSync(file));
  if (!executablePath) {
    throw new Error("Chromium is missing: install it (Debian: apt-get install chromium), or name one with CHROMIUM=/path");
  }
  // Delay the optimization of the node's functions, since a test ends before it pays off.
  return { executablePath, headless: true, args: ["--no-sandbox", "--js-flags=--wasm-tiering-budget=20000000", ...args] };
}

/**
 * Starts a browser without a profile.
 * @param {string[]} [args]
 * @param {string[]} [without] Playwright's default arguments to omit
 * @param {boolean} [whole] whether it has windows, so that it caches pages for the back button
 */
export const launch = (args = [], without = [], whole = false) => chromium.launch({ ...options(whole ? browsers : shells, args), ignoreDefaultArgs: without });

/**
 * Reports whether a console message is the browser's advice on forms, which depends on the browser and appears some
 * time after the form. Messages of scripts, policies and requests have other levels.
 * @param {import("playwright-core").ConsoleMessage} message
 */
export const isHint = (message) => String(message.type()) === "verbose";

/**
 * Opens a browser with a profile in the folder.
 * @param {string} folder
 * @param {string[]} [args]
 */
export async function open(folder, args = []) {
  const context = await chromium.launchPersistentContext(folder, options(browsers, args));
  context.setDefaultTimeout(PATIENCE);
  return context;
}

/**
 * Stops the clock of pages that are opened from then on, but not of their workers.
 * page.clock.runFor advances it.
 * @param {import("playwright-core").BrowserContext} context
 */
export async function stopClock(context) {
  await context.clock.install({ time: 0 });
  await context.clock.pauseAt(1000);
}

/**
 * Creates a folder that is removed after the test.
 * @param {{after: (end: () => unknown) => void}} t
 * @param {() => unknown} [end] stops the users of the folder
 */
export function folder(t, end = () => {}) {
  const made = mkdtempSync(path.join(tmpdir(), "obverse-"));
  t.after(async () => {
    await end();
    rmSync(made, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  });
  return made;
}

/**
 * Returns the body of a request; null if the request was aborted, as when its page is closed.
 * @param {import("node:http").IncomingMessage} request
 */
export async function bodyOf(request) {
  const parts = [];
  try {
    for await (const part of request) {
      parts.push(part);
    }
  } catch {
    return null;
  }
  return Buffer.concat(parts).toString();
}

/** Returns the query that makes the test page start a node. */
export const query = (config, more = {}) => `?${new URLSearchParams({ config: JSON.stringify(config), ...more })}`;
