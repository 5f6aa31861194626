/**
 * Common steps for tests of coins. They open a wallet with the key of a recorded account, on a chain with that account,
 * in the page's node or in a native one.
 *
 *   const { page, chain, said } = await moneyWallet(t);   // ATOM is active
 */

import { accounts, cosmosChain } from "../../test/cosmoschain.js";
import { connectTo, nativeNode } from "./native.js";
import { browser, FAST, folder, isOpen, sizes, visit, wallet } from "./support.js";

export { accounts, cosmosChain } from "../../test/cosmoschain.js";

/**
 * Activates ATOM in its view and waits until it is active.
 * @param {import("playwright-core").Page} page
 * @param {{url: string}[]} chains
 * @param {{coin?: string, tokens?: string[], history?: boolean | null}} [options] history: null for coins without one
 */
export async function activate(page, chains, { coin = "ATOM", tokens = [], history = true } = {}) {
  await visit(page, "activate", "Activate a coin");
  await page.getByRole("radio", { name: new RegExp(`^${coin} `) }).check();
  for (const token of tokens) {
    await page.getByRole("checkbox", { name: new RegExp(`^${token}`) }).check();
  }
  if (history !== null) {
    await page.getByRole("checkbox", { name: /^Keep the history/ }).setChecked(history);
  }
  for (const [n, { url }] of chains.entries()) {
    if (n > 0) {
      await page.getByRole("button", { name: "Add a server" }).click();
    }
    await page.getByLabel(`Server ${n + 1}`, { exact: true }).fill(url);
  }
  await page.getByRole("button", { name: `Activate ${coin}`, exact: true }).click();
  await page.getByRole("heading", { level: 1, name: `${coin} is active` }).waitFor();
}

/**
 * Opens a wallet in the page with ATOM active, in which time passes faster.
 * @param {import("node:test").TestContext} t
 * @param {{passphrase?: string, tokens?: string[], history?: boolean, speed?: number}} [options]
 */
export async function moneyWallet(t, { passphrase = accounts.user.passphrase, tokens = [], history = true, speed = FAST } = {}) {
  const chain = await cosmosChain(t);
  const opened = await wallet(t, { passphrase, speed });
  await activate(opened.page, [chain], { tokens, history });
  return { ...opened, chain };
}

/**
 * Opens a page with a native node, and returns it with a function that restarts the node with the
 * same data.
 * @param {import("node:test").TestContext} t
 * @param {{speed?: number}} [options]
 */
export async function nativeWallet(t, { speed = FAST } = {}) {
  const opened = await browser(t, { speed, routed: true });
  const datadir = folder(t, () => running.stop());
  const start = (...more) => nativeNode(t, new URL(opened.url).origin, more, datadir);
  let running = await start();
  const { node } = running;
  const page = await opened.context.newPage();
  await page.goto(opened.url);
  await connectTo(page, running, false);
  await isOpen(page);
  const restart = async (between) => {
    await running.stop();
    await between();
    running = await start(`rpcport=${new URL(node).port}`);
  };
  return { ...opened, page, node, restart };
}

/**
 * Disables all coins of an open wallet, and resets the form for ATOM to one server.
 * @param {import("playwright-core").Page} page
 */
async function disableAll(page) {
  const none = page.getByText("No coin is active yet.");
  const disable = page.getByRole("button", { name: /^Disable (ATOM|IRIS|ETH|MATIC)$/ }).first();
  for (;;) {
    await visit(page, "", "Home");
    await none.or(page.locator(".coin[data-coin]")).first().waitFor();
    if (await none.isVisible()) {
      return;
    }
    await visit(page, "activate/ATOM", "Activate a coin");
    const name = (await disable.getAttribute("aria-label")) ?? ""; // a coin that is being restored gets the label once it is active
    await disable.click();
    await page.getByRole("dialog").getByRole("button", { name: "Disable" }).click();
    await page.getByRole("button", { name, exact: true }).waitFor({ state: "hidden" });
    for (const more = page.getByRole("button", { name: /^Remove server/ }); (await more.count()) > 0; ) {
      await more.last().click();
    }
  }
}

/**
 * Defines subtests that start in an open wallet without active coins, regardless of the previous one.
 * @template {{page: import("playwright-core").Page, said: string[]}} Opened
 * @param {(name: string, does: (t: import("node:test").TestContext, opened: Opened) => unknown) => void} subtest a function of sharing
 */
export const withoutCoins = (subtest) => (/** @type {string} */ name, /** @type {Parameters<typeof subtest>[1]} */ does) =>
  subtest(name, async (t, opened) => {
    await opened.page.unrouteAll();
    await opened.page.setViewportSize(sizes.desktop);
    await disableAll(opened.page); // from a test that failed
    opened.said.length = 0;
    await does(t, opened);
    // Do this while the coins' servers respond, since messages of pending operations would appear in the next test. Some tests
    // end with a closed page or a locked wallet.
    !opened.page.isClosed() && (await opened.page.locator('.status[data-state="on"]').isVisible()) && (await disableAll(opened.page));
  });

/** Returns the locator of an amount with its exact value. @param {import("playwright-core").Page} page @param {string} value */
export const amount = (page, value) => page.locator(`main data[value="${value}"]`);

/** Returns the locator of a coin's row at Home. @param {import("playwright-core").Page} page @param {string} ticker */
export const row = (page, ticker) => page.locator(`.coin[data-coin="${ticker}"]`);
