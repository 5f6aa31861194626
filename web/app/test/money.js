/**
 * Steps that tests of coins begin with: a wallet with the key of a recorded account, on a
 * chain that knows it, in the page's node or in a native one.
 *
 *   const { page, chain, said } = await moneyWallet(t);   // ATOM is active
 */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import path from "node:path";
import readline from "node:readline";
import { accounts, cosmosChain } from "../../test/cosmoschain.js";
import { web } from "../../test/support.js";
import { browser, folder, visit, wallet } from "./support.js";

export { accounts, cosmosChain } from "../../test/cosmoschain.js";

/**
 * Activates ATOM by the view for it, and waits until it is active.
 * @param {import("playwright-core").Page} page
 * @param {{url: string}[]} chains
 * @param {{coin?: string, tokens?: string[], history?: boolean}} [options]
 */
export async function activate(page, chains, { coin = "ATOM", tokens = [], history = true } = {}) {
  await visit(page, "activate", "Activate a coin");
  await page.getByRole("radio", { name: new RegExp(`^${coin}`) }).check();
  for (const token of tokens) {
    await page.getByRole("checkbox", { name: new RegExp(`^${token}`) }).check();
  }
  await page.getByRole("checkbox", { name: /^Keep the history/ }).setChecked(history);
  for (const [n, { url }] of chains.entries()) {
    if (n > 0) {
      await page.getByRole("button", { name: "Add a server" }).click();
    }
    await page.getByLabel(`Server ${n + 1}`, { exact: true }).fill(url);
  }
  await page.getByRole("button", { name: `Activate ${coin}`, exact: true }).click();
  await page.getByText(/ (is|are) active\./).waitFor();
}

/**
 * A wallet in the page, with ATOM active.
 * @param {import("node:test").TestContext} t
 * @param {{passphrase?: string, tokens?: string[], history?: boolean, view?: string, args?: string[]}} [options]
 */
export async function moneyWallet(t, { passphrase = accounts.user.passphrase, tokens = [], history = true, args = [] } = {}) {
  const chain = await cosmosChain(t);
  const opened = await wallet(t, { passphrase, args });
  await activate(opened.page, [chain], { tokens, history });
  return { ...opened, chain };
}

/**
 * Starts a native node with the key of the recorded account, and a page that drives it.
 * @param {import("node:test").TestContext} t
 */
export async function nativeWallet(t) {
  const password = "Nat1ve-s3cret-word";
  const opened = await browser(t);
  const datadir = folder(t, () => end());
  const settings = ["rpcport=0", "daemon.rpcport=0", `rpccors=${new URL(opened.url).origin}`];
  const program = spawn(path.join(web, "../bin/obverse"), ["serve", "--datadir", datadir, ...settings], {
    env: { ...process.env, OBVERSE_PASSPHRASE: accounts.user.passphrase, OBVERSE_RPC_PASSWORD: password, OBVERSE_DAEMON_RPCPASSWORD: password },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const ended = new Promise((resolve) => program.on("exit", resolve));
  const end = () => {
    program.kill();
    return ended;
  };
  const lines = readline.createInterface(program.stdout)[Symbol.asyncIterator]();
  const { value } = await Promise.race([lines.next(), ended.then(() => assert.fail("the native node did not start"))]);
  const { node } = JSON.parse(value);
  const page = await opened.context.newPage();
  await page.goto(opened.url);
  await page.getByRole("button", { name: /native/ }).click();
  await page.getByLabel("Address", { exact: true }).fill(node);
  await page.getByLabel("rpc_password").fill(password);
  await page.getByRole("button", { name: "Connect" }).click();
  await page.locator('.status[data-state="on"]').waitFor();
  return { ...opened, page, node };
}

/** The text of an element, its white space in one. @param {import("playwright-core").Locator} locator */
export const textOf = async (locator) => (await locator.innerText()).replace(/\s+/g, " ").trim();
