/** Many coins, and native nodes that go wrong: the page answers, and says what it cannot show. */

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

/** A page that drives a false node, and remembers a list of coins of it. */
async function opened(t, answers, list = []) {
  const { context, url, said } = await browser(t);
  const node = await falseNode(t, answers);
  await recordLongTasks(context);
  await context.addInitScript(([address, text]) => ["", "/"].forEach((end) => location.protocol === "http:" && (localStorage[`obverse.coins.${address}${end}`] ??= text)), [node.node, JSON.stringify(list)]);
  // What is read of the list of coins, and of other long texts.
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
  assert.equal(await page.locator(".coin[data-coin]").count(), 50);
  await more.click();
  assert.equal(await page.locator(".coin[data-coin]").count(), 100);
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
  await until(async () => (await page.locator('.coin[data-coin] data[value="7"]').count()) === 49, "the balances of all that are listed");
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
  assert.equal(await page.locator(".coin[data-coin]").count(), 50);
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
        await page.locator(".place").getByRole("button").waitFor(); // the way to other wallets
      }
    }
    await page.close();
  }
});
