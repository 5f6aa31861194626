/** Many coins, and native nodes that misbehave: the page stays responsive and reports what it cannot display. */

import assert from "node:assert/strict";
import { test as plain } from "node:test";
import { evmChain } from "../../test/evmchain.js";
import { owner } from "../../test/support.js";
import { addTokens, falseNode, longTasks, manyCoins, recordLongTasks } from "./many.js";
import { activate } from "./money.js";
import { connectTo } from "./native.js";
import { browser, isOpen, until, visit, wallet } from "./support.js";

const test = (name, does) => plain(name, { timeout: 300000 }, does);

/** The address of the owner's key. */
const OWN = "0xf5c3bf03cBA4E343484588932e423A7C8BFf102d";

const balanceOf = ({ coin }) => ({ coin, balance: coin === "ETH" ? "1.5" : `${coin.replace(/\D/g, "")}`, unspendable_balance: "0", address: "0x7C1B02B575545d4F24243C229bC9a5ef1649b346" });

/** Opens a page with a false node and a remembered list of its coins. */
async function opened(t, answers, list = []) {
  const { context, url, said } = await browser(t);
  const node = await falseNode(t, answers);
  await recordLongTasks(context);
  await context.addInitScript(([address, text]) => ["", "/"].forEach((end) => location.protocol === "http:" && (localStorage[`obverse.coins.${address}${end}`] ??= text)), [node.node, JSON.stringify(list)]);
  // Count the reads of the list of coins and of other long texts.
  await context.addInitScript(() => {
    const { parse } = JSON;
    globalThis.longTexts = 0;
    JSON.parse = (text, ...others) => ((globalThis.longTexts += Number(text.length > 20000)), parse(text, ...others));
  });
  const page = await context.newPage();
  await page.goto(url);
  await connectTo(page, node, false);
  await isOpen(page);
  return { page, node, said, context };
}

test("a wallet with 1,000 tokens: what is stored is read once, and the lists are drawn in parts", async (t) => {
  const coins = manyCoins(1000);
  const list = coins.map(({ ticker }) => ({ ticker, platform: ticker === "ETH" ? null : "ETH", active: true, ...(ticker === "ETH" && { settings: { nodes: [], api: "", history: false, key: "own", family: "evm" } }) }));
  const { page, node, said } = await opened(t, { get_enabled_coins: () => ({ coins }), my_balance: balanceOf, my_tx_history: () => ({ transactions: [], total: 0, sync_status: { state: "Finished" } }) }, list);
  const more = page.getByRole("button", { name: /^Show more: / });
  await more.waitFor();
  await until(() => (node.asked["my_balance"] ?? 0) >= 1001, "all balances are asked for");
  const rows = (count) => until(async () => (await page.locator(".coin[data-coin]").count()) === count, `${count} rows are drawn`);
  await rows(50);
  await more.click();
  await rows(100);
  await visit(page, "receive/T999-ERC20", "Receive");
  await until(async () => (await page.locator("main option").count()) >= 1001, "all coins can be chosen");
  assert.equal(await page.getByLabel("Coin", { exact: true }).inputValue(), "T999-ERC20");
  for (const [path, name] of [["activity", "Activity"], ["receive", "Receive"], ["nfts", "NFTs"], ["add", "Add coins"], ["settings", "Settings"], ["", "Home"]]) {
    await visit(page, path, name);
  }
  const after = await longTasks(page);
  const read = await page.evaluate("longTexts");
  console.log(`# 1,000 tokens: the longest task after the first second ${Math.max(0, ...after)} ms, of ${after.length} above 50 ms; ${read} long texts were parsed`);
  assert(read < 60, `${read} long texts were parsed`);
  assert.deepEqual(said.filter((line) => !line.includes("Failed to load resource")), []);
});

test("1,000 tokens of the node in the page", async (t) => {
  const chain = await evmChain(t);
  const { page, context, url, said } = await wallet(t, { passphrase: owner.passphrase });
  await activate(page, [chain], { coin: "ETH", history: null });
  await addTokens(context, url, chain, { ...owner, account: OWN, count: 1000 });
  await recordLongTasks(context);
  await visit(page, "", "Home");
  await page.reload();
  await isOpen(page);
  await page.getByRole("button", { name: /^Show more: / }).waitFor();
  await until(async () => (await page.locator('.coin[data-coin] data[value="7"]').count()) >= 49, "the balances of all that are listed, with or without ETH");
  for (const [path, name] of [["activity", "Activity"], ["receive", "Receive"], ["nfts", "NFTs"], ["add", "Add coins"], ["settings", "Settings"], ["", "Home"]]) {
    await visit(page, path, name);
  }
  const after = await longTasks(page);
  console.log(`# 1,000 tokens of the page's node: the longest task after the first second ${Math.max(0, ...after)} ms, of ${after.length} above 50 ms`);
  assert.deepEqual(said, []);
});

test("of a node with 20,000 coins some are listed, and the page says so", async (t) => {
  const coins = Array.from({ length: 20000 }, (_, n) => ({ ticker: `COIN${n}` }));
  const { page, node } = await opened(t, { get_enabled_coins: () => ({ coins }), my_balance: balanceOf });
  await page.getByText("The node has 18,000 more coins, which are not listed.").waitFor();
  await until(async () => (await page.locator(".coin[data-coin]").count()) === 50, "50 rows are drawn");
  await visit(page, "settings", "Settings");
  assert((node.asked["stream::balance::enable"] ?? 0) <= 100, "streams are bounded");
});

test("a node that floods the page with events is heard, and does not stop it", async (t) => {
  const { page, node } = await opened(t, { get_enabled_coins: () => ({ coins: manyCoins(3) }), my_balance: balanceOf });
  await until(() => node.streams.size > 0, "the stream is open");
  const [stream] = node.streams;
  const event = (n) => `data: ${JSON.stringify({ _type: "BALANCE:ETH", message: [{ ticker: "ETH", balance: { spendable: String(n), unspendable: "0" } }] })}\n\n`;
  for (let n = 0; n < 50; n++) {
    stream.write(Array.from({ length: 2000 }, (_, m) => event(1 + n * 2000 + m)).join(""));
  }
  await visit(page, "settings", "Settings");
  await visit(page, "", "Home");
  await page.locator('main data[value="100000"]').waitFor();
});

test("answers of another form are named, and every view says something", async (t) => {
  for (const [what, answers] of [
    ["a list that is no list", { get_enabled_coins: () => ({ coins: "ETH" }) }],
    ["tickers that are no texts", { get_enabled_coins: () => ({ coins: [{ ticker: 5 }, { ticker: ["ETH"] }, null, { ticker: "ETH" }, { ticker: "ETH" }] }), my_balance: balanceOf }],
    ["balances that are no numbers", { get_enabled_coins: () => ({ coins: manyCoins(2) }), my_balance: ({ coin }) => ({ ...balanceOf({ coin }), balance: "1.5<b>" }), my_tx_history: () => ({ transactions: [{}], sync_status: 5 }), get_prices: () => ({ prices: { ETH: 5 } }) }],
    ["nothing", { get_enabled_coins: () => null }],
  ]) {
    const { page } = await opened(t, answers);
    for (const [path, name] of [["", "Home"], ["activity", "Activity"], ["receive", "Receive"], ["send", "Send"], ["nfts", "NFTs"], ["settings", "Settings"], ["connect", ""], ["", "Home"]]) {
      await page.evaluate((hash) => void (location.hash = hash), `#/${path}`);
      if (name !== "") {
        await page.locator("main").waitFor();
        await until(async () => (await page.locator("main").innerText()).trim() !== "", `${what}: ${path} is not empty`);
        await page.locator(".place").getByRole("button").waitFor(); // the button that switches to other wallets
      }
    }
    await page.close();
  }
});

const MINE = "0x7C1B02B575545d4F24243C229bC9a5ef1649b346";
const transactionOf = (n, more = {}) => ({ tx_hash: `h${n}`, tx_hex: "", from: [MINE], to: [`0x${"1".repeat(40)}`], total_amount: "1", spent_by_me: "1", received_by_me: "0", my_balance_change: "-1", block_height: n, timestamp: 1700000000 + n, fee_details: { type: "Eth", coin: "ETH", amount: "0.1", gas_limit: 1 }, coin: "ETH", internal_id: `i${n}`, transaction_type: "StandardTransfer", memo: "", confirmations: 5, ...more });
const historyOf = (transactions) => ({ coin: "ETH", transactions, total: transactions.length, limit: 20, skipped: 0, sync_status: { state: "Finished" } });
const nftOf = (n, more = {}) => ({ chain: "ETH", token_address: MINE, token_id: String(n), amount: "1", name: "n", uri_meta: { name: `N${n}` }, contract_type: "ERC721", possible_spam: false, possible_phishing: false, block_number: 1, ...more });
const withNfts = { get_enabled_coins: () => ({ coins: [{ ticker: "ETH" }, { ticker: "NFT_ETH" }] }), my_balance: balanceOf };

test("a node that answers with more than it was asked for is not followed", async (t) => {
  const { page } = await opened(t, { ...withNfts, my_tx_history: () => historyOf(Array.from({ length: 20000 }, (_, n) => transactionOf(n))), get_nft_list: () => ({ nfts: Array.from({ length: 20000 }, (_, n) => nftOf(n)), total: 20000, skipped: 0 }), nft_search: () => null });
  await visit(page, "history/ETH", "History");
  await page.locator(".history li").first().waitFor();
  assert.equal(await page.locator(".history > li").count(), 20);
  await visit(page, "nfts", "NFTs");
  await page.locator(".tiles li").first().waitFor();
  assert.equal(await page.locator(".tiles li").count(), 12);
});

test("texts and numbers that no honest node gives are an error", async (t) => {
  const long = "W".repeat(300000);
  const { page } = await opened(t, { ...withNfts, my_balance: ({ coin }) => ({ ...balanceOf({ coin }), balance: "9".repeat(200000) }), my_tx_history: () => historyOf([transactionOf(1, { memo: long })]), get_nft_list: () => ({ nfts: [nftOf(1, { name: long })], total: 1, skipped: 0 }) });
  const wrong = page.getByText("The answer is not that of an Obverse node.");
  for (const [path, name] of [["coin/ETH", /Ethereum/], ["history/ETH", "History"], ["nfts", "NFTs"]]) {
    await visit(page, path, name);
    await wrong.first().waitFor();
  }
});

test("an entry of a history that is invalid is left out and counted, and a time that cannot be is unknown", async (t) => {
  const list = [transactionOf(1), transactionOf(2, { from: null }), transactionOf(3, { my_balance_change: "1e5" }), null, transactionOf(4, { timestamp: 4.6e18 }), transactionOf(5, { timestamp: -1 })];
  const { page, said } = await opened(t, { ...withNfts, my_tx_history: () => historyOf(list) });
  await visit(page, "activity", "Activity");
  await page.getByText("3 entries of the history are invalid and not listed.").waitFor();
  assert.equal(await page.locator(".activity > li").count(), 3);
  await visit(page, "history/ETH", "History");
  await page.getByText("3 entries of the history are invalid and not listed.").waitFor();
  assert.equal(await page.locator(".history > li").count(), 3);
  await visit(page, "send/ETH", "Send");
  await page.getByRole("button", { name: /^0x1111111/ }).waitFor(); // a receiver from the history
  assert.deepEqual(said.filter((line) => !line.includes("Failed to load resource")), []);
});

test("a transaction in another form is not shown as one to send", async (t) => {
  const level = { max_fee_per_gas: "1", max_priority_fee_per_gas: "1" };
  const { page } = await opened(t, { ...withNfts, my_tx_history: () => historyOf([]), get_eth_estimated_fee_per_gas: () => ({ low: level, medium: level, high: level }), withdraw: () => ({ coin: "ETH", to: [`0x${"1".repeat(40)}`], total_amount: "1", fee_details: null, tx_hash: "aa", tx_hex: "bb", memo: "" }) });
  await visit(page, "send/ETH", "Send");
  await page.getByRole("textbox", { name: "To", exact: true }).fill(`0x${"1".repeat(40)}`);
  await page.getByRole("textbox", { name: /^Amount in/ }).fill("1");
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByText("The answer is not that of an Obverse node.").waitFor();
});
