/** A new wallet from the user's view: coins and their values without entering a server, and their use. */

import assert from "node:assert/strict";
import { sharing } from "../../test/sharing.js";
import { evmChain } from "../../test/evmchain.js";
import { amount, row } from "./money.js";
import { browser, checkAccess, checkWidth, isOpen, restore, sizes, until, visit } from "./support.js";
import { EVM, usualWorld } from "./usual.js";

/** Checks a state in light, dark and on a phone. */
async function look(page) {
  await checkAccess(page);
  await page.setViewportSize(sizes.phone);
  await checkWidth(page);
  await checkAccess(page);
  await page.setViewportSize(sizes.desktop);
}

const inWorld = sharing("a restored wallet with the usual coins", async (t) => {
  const opened = await browser(t, { usual: true });
  const [classic, energy] = await Promise.all([evmChain(t, { id: 61 }), evmChain(t, { id: 246 })]);
  await classic.give(EVM, 3_000_000_000_000_000_000n);
  const world = { ...(await usualWorld(t, opened.context, { elsewhere: { ETC: classic.url, EWT: energy.url } })), elsewhere: [classic.url, energy.url] };
  const page = await opened.context.newPage();
  /** @type {Set<string>} */
  const hosts = new Set();
  opened.context.on("request", (request) => hosts.add(new URL(request.url()).host));
  const began = performance.now();
  await page.goto(opened.url);
  await restore(page, { passphrase: world.passphrase });
  for (const value of ["993.4998", "1.234567890123456789", "1250.5", "42"]) {
    await amount(page, value).waitFor();
  }
  for (const value of ["$4,480.68", "$3,703.70", "$1,250.50", "$21.00"]) {
    await page.locator(".worth", { hasText: value }).waitFor();
  }
  console.log(`# four balances and their values after ${((performance.now() - began) / 1000).toFixed(1)} s`);
  return { ...opened, page, world, hosts };
});

inWorld("what is held is sorted by its value, and the sum and its change are on top", async (t, { page }) => {
  await row(page, "ATOM").waitFor();
  const coins = await page.locator(".coin[data-coin]").evaluateAll((all) => all.map((one) => one.getAttribute("data-coin")));
  assert.deepEqual(coins.slice(0, 4), ["ATOM", "ETH", "USDC-ERC20", "MATIC"]);
  assert.match(await page.locator(".total").innerText(), /^\$9,455\.89/);
  assert.match(await page.locator(".summary .under").innerText(), /^\+0\.36% in 24 hours/);
  assert.match(await row(page, "USDC-ERC20").innerText(), /USD Coin\s+USDC · Ethereum/);
  assert.equal(await row(page, "USDC-ERC20").locator("img").count(), 2, "its logo, and that of its network");
  await until(() => row(page, "ATOM").locator("img").evaluate((img) => img.naturalWidth > 0), "the logo is shown");
});

inWorld("a network with unresponsive servers is named, and the others do not wait for it", async (t, { page }) => {
  await page.getByText("BNB Smart Chain is not reachable.").waitFor();
  await page.locator(".unreachable summary").click();
  await look(page);
  await page.getByRole("button", { name: "Continue without BNB" }).click();
  await page.getByText("BNB Smart Chain is not reachable.").waitFor({ state: "hidden" });
  await page.reload();
  await isOpen(page);
  await amount(page, "42").waitFor();
  assert.equal(await page.getByText("BNB Smart Chain is not reachable.").count(), 0);
});

inWorld("amounts are hidden, and coins worth little too", async (t, { page }) => {
  await page.getByRole("button", { name: "Hide amounts" }).click();
  assert.equal(await page.locator("main data").count(), 0);
  assert(!(await page.locator("main").innerText()).includes("$"));
  await look(page);
  await page.getByRole("button", { name: "Hide amounts" }).click();
  await visit(page, "settings", "Settings");
  await page.getByRole("checkbox", { name: /^Hide balances/ }).check();
  await visit(page, "", "Home");
  await page.getByRole("button", { name: "Show 1 small balance" }).click(); // the small balance is in USDT
  await row(page, "USDT-ERC20").waitFor();
  await visit(page, "settings", "Settings");
  await page.getByRole("checkbox", { name: /^Hide balances/ }).uncheck();
  await page.getByRole("checkbox", { name: /^Show what coins are worth/ }).uncheck();
  await visit(page, "", "Home");
  await page.getByText("Prices are off.").waitFor();
  assert(!(await page.locator("main").innerText()).includes("$"));
  await visit(page, "settings", "Settings");
  await page.getByRole("checkbox", { name: /^Show what coins are worth/ }).check();
});

inWorld("one list has the transactions of all coins, with the details next to the list", async (t, { page, context }) => {
  await context.route("https://api.coingecko.com/api/v3/coins/**", (route) => route.fulfill({ status: 404, headers: { "Access-Control-Allow-Origin": "*" }, body: "{}" }));
  await visit(page, "activity", "Activity");
  const first = page.locator(".activity button.row").first();
  await first.waitFor();
  await look(page);
  await first.focus();
  await page.keyboard.press("Enter");
  const sheet = page.getByRole("dialog");
  await sheet.getByText("Confirmed in block").waitFor();
  assert.equal(await page.evaluate(() => document.activeElement?.tagName), "H2", "the focus is at the beginning of the sheet");
  assert.match((await sheet.getByRole("link", { name: /^View in explorer/ }).getAttribute("href")) ?? "", /^https:\/\/www\.mintscan\.io\/cosmos\/txs\/[0-9A-F]{64}$/);
  await look(page);
  await page.keyboard.press("Escape");
  await sheet.waitFor({ state: "hidden" });
});

inWorld("any coin of the directory is found and added", async (t, { page, world }) => {
  await visit(page, "add", "Add coins");
  const search = page.getByRole("searchbox", { name: "Search" });
  await search.fill("dai eth");
  await page.getByRole("button", { name: "Add DAI-ERC20" }).waitFor();
  await look(page);
  await world.ethereum.place("0x6B175474E89094C44Da98b954EedeAC495271d0F", "Token20", 18);
  await page.getByRole("button", { name: "Add DAI-ERC20" }).click();
  await page.locator(".found .is").first().waitFor();
  await search.fill("nothing is called so");
  await page.getByText("No coin found. Paste the contract address").waitFor();
  const [there, elsewhere] = ["0x1000000000000000000000000000000000000001", "0x1000000000000000000000000000000000000002"];
  await world.ethereum.place(there, "Token20", 6);
  await world.polygon.place(elsewhere, "Token20", 6);
  const network = page.getByLabel("Network");
  for (const [contract, coin] of [[elsewhere, "MATIC"], [there, "ETH"]]) {
    await search.fill(contract);
    await page.getByText(/^The contract calls itself/).waitFor();
    await until(async () => (await network.inputValue()) === coin, "the network that has it, whichever was active first");
  }
  await look(page);
  await search.fill("0x1000000000000000000000000000000000000003");
  await page.getByRole("alert").filter({ hasText: /There is no ERC-20 token at this address on \w+\..*Choose the network/s }).waitFor();
  await search.fill("0x6b175474e89094c44da98b954eedeac495271d0f");
  await page.locator(".found .is").waitFor();
  assert.equal(await page.locator(".found li").count(), 1, "what the directory has is found by its contract too");
  await visit(page, "", "Home");
  await row(page, "DAI-ERC20").waitFor();
});

inWorld("a restored wallet is looked for on all networks, and only those with a balance stay", async (t, { page }) => {
  await visit(page, "add", "Add coins");
  await page.getByRole("button", { name: "Look on all networks" }).click();
  await page.getByText("Found on: Ethereum Classic.").waitFor();
  await page.getByText(/^.*These networks did not answer: .*Avalanche C-Chain/).waitFor();
  await look(page);
  await visit(page, "", "Home");
  await amount(page, "3").waitFor();
  assert.equal(await row(page, "EWT").count(), 0);
});

inWorld("the page speaks German too, and remembers it", async (t, { page }) => {
  await visit(page, "settings", "Settings");
  await page.getByRole("combobox", { name: "Language" }).selectOption("de");
  await page.getByRole("combobox", { name: "Sprache" }).waitFor();
  assert.equal(await page.evaluate(() => document.documentElement.lang), "de");
  await visit(page, "", "Start");
  await page.getByText("in 24 Stunden").waitFor();
  await look(page);
  await page.reload();
  await isOpen(page);
  await page.getByRole("heading", { level: 1, name: "Start" }).waitFor();
  await visit(page, "settings", "Einstellungen");
  await page.getByRole("combobox", { name: "Sprache" }).selectOption("en");
  await page.getByRole("combobox", { name: "Language" }).waitFor();
});

inWorld("nothing is asked but the page's own server, those of the coins, and the price service", async (t, { hosts, url, world }) => {
  const known = [url, world.cosmos.url, world.ethereum.url, world.polygon.url, ...world.elsewhere, "http://127.0.0.1:1", "https://api.coingecko.com"].map((one) => new URL(one).host);
  assert.deepEqual([...hosts].filter((host) => host !== "" && !known.includes(host)), []);
  assert(world.asked.every((asked) => !/0x|cosmos1/.test(asked)), "the price service learns no address");
});
