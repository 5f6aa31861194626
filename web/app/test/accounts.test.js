/** Several accounts of one recovery phrase: separate addresses, balances and coins, and one password. */

import assert from "node:assert/strict";
import { test as plain } from "node:test";
import { DirectSecp256k1HdWallet } from "@cosmjs/proto-signing";
import { stringToPath } from "@cosmjs/crypto";
import { mnemonicToAccount } from "viem/accounts";
import { cosmosChain } from "../../test/cosmoschain.js";
import { evmChain } from "../../test/evmchain.js";
import { activate, amount } from "./money.js";
import { button, heading, look, text } from "./steps.js";
import { isOpen, PASSWORD, until, visit, wallet, WORDS } from "./support.js";

const test = (name, does) => plain(name, { timeout: 400000 }, does);

const OTHER = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
const CONTRACT = "0x1000000000000000000000000000000000000001";
const evmOf = (/** @type {number} */ accountIndex) => mnemonicToAccount(WORDS, { accountIndex }).address;

async function cosmosOf(/** @type {number} */ account) {
  const [{ address }] = await (await DirectSecp256k1HdWallet.fromMnemonic(WORDS, { prefix: "cosmos", hdPaths: [stringToPath(`m/44'/118'/${account}'/0/0`)] })).getAccounts();
  return address;
}

/** Returns the address in a coin's receive view. */
async function received(page, coin) {
  await visit(page, `receive/${coin}`, "Receive");
  return (await page.locator("main .groups").innerText()).replaceAll(/\s/g, "");
}

async function list(page) {
  await button(page, /^Wallet: /).click();
  const dialog = page.getByRole("dialog", { name: "Wallets" });
  await dialog.getByRole("button", { name: "Add an account" }).waitFor();
  return dialog;
}

/** Adds a token by its contract. */
async function addToken(page) {
  await visit(page, "add", "Add coins");
  await page.getByRole("searchbox").fill(CONTRACT);
  await page.getByText(/^The contract calls itself/).waitFor();
  await button(page, "Add").last().click();
  await page.waitForURL(/#\/coin\//);
}

test("an account is added with the coins of the first; switching needs no password, and each sends its own", async (t) => {
  const [cosmos, chain] = await Promise.all([cosmosChain(t), evmChain(t)]);
  await chain.place(CONTRACT, "Token20", 6);
  await chain.give(evmOf(0), 1_000_000_000_000_000_000n);
  await chain.give(evmOf(1), 2_000_000_000_000_000_000n);
  await chain.send(CONTRACT, "mint(address,uint256)", evmOf(1), 7_000_000);
  const { page, context, url, said } = await wallet(t);
  await activate(page, [cosmos]);
  await button(page, "Activate another coin").click();
  await activate(page, [chain], { coin: "ETH", history: null });
  await addToken(page);
  assert.equal(await received(page, "ETH"), evmOf(0));

  const dialog = await list(page);
  await look(page, "accounts-add");
  await dialog.getByRole("button", { name: "Add an account" }).click();
  await button(page, "Wallet: Account 2. Switch wallets").waitFor();
  await isOpen(page);
  await visit(page, "", "Home");
  await amount(page, "2").waitFor();
  await amount(page, "7").waitFor(); // the balance of the token that was added by its contract
  assert.equal(await received(page, "ETH"), evmOf(1));
  assert.equal(await received(page, "ATOM"), await cosmosOf(1));
  await visit(page, "send/ETH", "Send");
  await text(page, "To").fill(OTHER);
  await text(page, /^Amount in/).fill("0.5");
  await button(page, "Continue").click();
  await button(page, "Send 0.5 ETH").click();
  await page.getByText(/^In block/).waitFor();
  assert.equal(await chain.has(OTHER), 500_000_000_000_000_000n);
  assert.equal(await chain.has(evmOf(0)), 1_000_000_000_000_000_000n, "the first account paid nothing");

  await page.reload();
  await isOpen(page);
  await visit(page, "", "Home");
  await page.locator('main data[value^="1.49"]').first().waitFor();
  const second = await list(page);
  await second.getByText("Account 2 of Wallet 1").waitFor();
  await look(page, "accounts");
  await second.getByRole("button", { name: /^Wallet 1/ }).first().click();
  await isOpen(page);
  await amount(page, "1").waitFor();
  assert.equal(await received(page, "ETH"), evmOf(0));

  // Both have the same password, and another open tab switches to the same account.
  const tab = await context.newPage();
  await tab.goto(url);
  await isOpen(tab);
  await button(tab, "Wallet: Wallet 1. Switch wallets").waitFor();
  await (await list(page)).getByRole("button", { name: /^Account 2/ }).first().click();
  await button(tab, "Wallet: Account 2. Switch wallets").waitFor();
  await isOpen(tab);
  await button(page, "Lock").click();
  await heading(page, "Unlock");
  await text(page, "Password").fill(PASSWORD);
  await button(page, "Unlock").click();
  await isOpen(page);
  assert.equal(await received(page, "ETH"), evmOf(1));
  assert.deepEqual(said.filter((line) => !/ERR_CACHE_WRITE_FAILURE|Failed to load resource/.test(line)), []);
});

test("a new password opens all accounts, and removing one leaves the others", async (t) => {
  const { page } = await wallet(t);
  await (await list(page)).getByRole("button", { name: "Add an account" }).click();
  await button(page, "Wallet: Account 2. Switch wallets").waitFor();
  await isOpen(page);
  await visit(page, "settings", "Settings");
  await page.getByText("Change the password", { exact: true }).click();
  await text(page, "Current password").fill(PASSWORD);
  await text(page, "New password").fill("another quiet battery");
  await button(page, "Change").last().click();
  await page.getByText("Password changed.").waitFor();
  await (await list(page)).getByRole("button", { name: /^Wallet 1/ }).first().click();
  await button(page, "Wallet: Wallet 1. Switch wallets").waitFor();
  await isOpen(page);
  await button(page, "Lock").click();
  await heading(page, "Unlock");
  await text(page, "Password").fill("another quiet battery");
  await button(page, "Unlock").click();
  await isOpen(page);
  const stores = () => page.evaluate(async () => {
    const names = [];
    for await (const name of (await (await navigator.storage.getDirectory()).getDirectoryHandle("obverse")).keys()) {
      names.push(decodeURIComponent(name));
    }
    return names.sort();
  });
  assert.deepEqual(await stores(), ["obverse", "obverse-+1"]);
  await (await list(page)).getByRole("button", { name: "Edit Account 2" }).click();
  const dialog = page.getByRole("dialog", { name: "Edit Account 2" });
  await dialog.getByText("Remove this wallet").click();
  await dialog.getByLabel("I have its recovery phrase and want to remove it").check();
  await button(dialog, "Remove Account 2").click();
  await dialog.waitFor({ state: "hidden" });
  assert.deepEqual(await stores(), ["obverse"], "the wallet itself stays");
});

test("a token that only its contract knows is there again after its network was off", async (t) => {
  const chain = await evmChain(t);
  await chain.place(CONTRACT, "Token20", 6);
  await chain.send(CONTRACT, "mint(address,uint256)", evmOf(0), 5_000_000);
  const { page } = await wallet(t);
  await activate(page, [chain], { coin: "ETH", history: null });
  await addToken(page);
  await visit(page, "settings", "Settings");
  const box = page.getByRole("checkbox", { name: /Ethereum/ });
  await box.click();
  await until(async () => !(await box.isChecked()), "it is off");
  await page.reload(); // the node forgets the account
  await isOpen(page);
  await visit(page, "settings", "Settings");
  await box.click();
  await until(() => box.isChecked(), "it is on again");
  await visit(page, "", "Home");
  await amount(page, "5").waitFor();
});
