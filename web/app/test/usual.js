/**
 * The environment of a new wallet: the page's directory of coins with local chains as servers, and a price service.
 *
 *   const world = await usualWorld(t, context);      // before the page is opened
 *   await restore(page, { passphrase: world.passphrase });
 */

import { readFileSync } from "node:fs";
import { accounts, cosmosChain } from "../../test/cosmoschain.js";
import { evmChain } from "../../test/evmchain.js";

const file = new URL("../../../core/wallet/directory/directory.json", import.meta.url);

/** The EVM address of accounts.user. */
export const EVM = "0x7C1B02B575545d4F24243C229bC9a5ef1649b346";
const USDC = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
const USDT = "0xdAC17F958D2ee523a2206206994597C13D831ec7";

/** Prices in the format of CoinGecko. */
const PRICES = { cosmos: [4.51, -1.25], ethereum: [3000, 2.5], "usd-coin": [1, 0.01], tether: [1, 0], "polygon-ecosystem-token": [0.5, 0] };

/** Returns a response in the format of CoinGecko. @param {URL} url */
function priced({ searchParams }) {
  const fiat = searchParams.get("vs_currencies") ?? "usd";
  const ids = (searchParams.get("ids") ?? "").split(",").filter((id) => id in PRICES);
  const now = Math.floor(Date.now() / 1000);
  return Object.fromEntries(ids.map((id) => [id, { [fiat]: PRICES[id][0], [`${fiat}_24h_change`]: PRICES[id][1], last_updated_at: now }]));
}

/**
 * Starts the chains, and replaces the directory of coins for the pages of a context by one that lists them.
 * @param {import("node:test").TestContext} t
 * @param {import("playwright-core").BrowserContext} context
 * @param {{dead?: string[], elsewhere?: Record<string, string>}} [options] dead: default networks whose servers do not respond; elsewhere:
 *   servers of other networks
 */
export async function usualWorld(t, context, { dead = ["BNB"], elsewhere = {} } = {}) {
  const [cosmos, ethereum, polygon] = await Promise.all([cosmosChain(t), evmChain(t), evmChain(t, { id: 137 })]);
  await ethereum.place(USDC, "Token20", 6);
  await ethereum.place(USDT, "Token20", 6);
  await ethereum.send(USDC, "mint(address,uint256)", EVM, 1250500000);
  await ethereum.give(EVM, 1234567890123456789n);
  await polygon.give(EVM, 42_000_000_000_000_000_000n);
  const servers = { ATOM: cosmos.url, ETH: ethereum.url, MATIC: polygon.url };
  /** @type {string[]} */
  const asked = [];
  const directory = JSON.parse(readFileSync(file, "utf8"));
  for (const network of directory.networks) {
    const url = servers[network.coin] ?? (dead.includes(network.coin) ? "http://127.0.0.1:1" : undefined);
    network.usual = url === undefined ? undefined : true;
    network.nodes = [{ url: url ?? (elsewhere[network.coin] ?? "http://127.0.0.1:1") }];
  }
  await context.route("**/directory-*.json", (route) => route.fulfill({ json: directory }));
  await context.route("https://api.coingecko.com/**", (route) => {
    const url = new URL(route.request().url());
    asked.push(url.href);
    return route.fulfill({ json: priced(url), headers: { "Access-Control-Allow-Origin": "*" } });
  });
  return { cosmos, ethereum, polygon, asked, passphrase: accounts.user.passphrase };
}
