/**
 * Generates core/wallet/directory/directory.json, the directory of coins, from two files of the public coins list
 * (github.com/KomodoPlatform/coins): `coins`, and `utils/coins_config.json` or a part of it in the form
 * {"source": text, "coins": {ticker: entry}}.
 *
 *   node web/directory.js coins coins_config.json > core/wallet/directory/directory.json
 *
 * The directory omits coins of chains that the node cannot activate, networks without a server that a page can
 * reach (https and wss), tokens of those networks, and coins that the list marks as delisted.
 */

import { readFileSync } from "node:fs";

const [coinsFile, configFile] = process.argv.slice(2);
const read = (/** @type {string} */ file) => JSON.parse(readFileSync(file, "utf8"));
const config = read(configFile);
const about = config.coins ?? config;

/** Names that replace those of the list, and price ids of coins for which the list has an outdated id. */
const ours = {
  ATOM: { network: "Cosmos Hub" },
  OSMO: { coin: "OSMOSIS" },
  IRIS: { name: "IRISnet", network: "IRIS Hub" },
  AVAX: { network: "Avalanche C-Chain" },
  BNB: { name: "BNB", network: "BNB Smart Chain" },
  BNBT: { name: "BNB Testnet", network: "BNB Smart Chain Testnet" },
  "ETH-ARB20": { network: "Arbitrum One" },
  "ETH-BASE": { network: "Base" },
  EWT: { network: "Energy Web Chain" },
  KCS: { network: "KuCoin Community Chain" },
  MATIC: { name: "POL", network: "Polygon", symbol: "POL", coingecko: "polygon-ecosystem-token" },
  RBTC: { name: "Rootstock Bitcoin", network: "Rootstock" },
};

/**
 * Gas prices in the coin's smallest unit: the average and the high price of the chain registry
 * (github.com/cosmos/chain-registry, chain.json, fee_tokens), and the price of the coins list, which is the highest.
 */
const gasPrices = {
  ATOM: ["0.025", "0.03", "0.25"],
  IRIS: ["0.3", "0.4", "0.5"],
  OSMO: ["0.025", "0.04", "0.5"],
};

/** The default coins of a new wallet. */
const usual = new Set(["ATOM", "OSMO", "ETH", "BNB", "MATIC", "AVAX", "USDC-ERC20", "USDT-ERC20"]);

const builtin = read(new URL("../core/wallet/coin/builtin.json", import.meta.url).pathname);
/** Built-in tokens that the list lacks, with the ticker of the coin that has the same price. */
const ibc = builtin.filter((/** @type {any} */ entry) => entry.protocol.type === "TENDERMINTTOKEN");
/** The decimals of tokens from the node's override list. The public list leaves them to the contract. */
const builtinDecimals = new Map(builtin.map((/** @type {any} */ entry) => [entry.coin, entry.decimals]));

const secure = (/** @type {string | undefined} */ url, /** @type {string} */ scheme) => (url?.startsWith(`${scheme}://`) ? url : undefined);

/** Returns the servers that a page can use. @param {any} entry */
const nodesOf = (entry) =>
  (entry?.nodes ?? entry?.rpc_urls ?? [])
    .filter(({ url, komodo_proxy }) => secure(url, "https") && !komodo_proxy)
    .map(({ url, ws_url }) => ({ url, ws: secure(ws_url, "wss") }));

/** Returns the id of the coin's price at CoinGecko. @param {string} coin */
const priceOf = (coin) => ours[coin]?.coingecko ?? (about[coin]?.coingecko_id || undefined);

/** Returns the URLs of the explorer, in which "{}" stands for the hash or the address. @param {string} coin */
function explorerOf(coin) {
  const { explorer_url: base, explorer_tx_url: tx, explorer_address_url: address } = about[coin] ?? {};
  if (!secure(base, "https") || !tx || !address) {
    return undefined;
  }
  const at = base.replace(/\/*$/, "/");
  return { tx: `${at}${tx}{}`, address: `${at}${address}{}` };
}

const usable = read(coinsFile).filter(({ coin, mm2 }) => mm2 === 1 && about[coin] && !about[coin].delisted);
const flags = (/** @type {any} */ { coin, is_testnet }) => ({ usual: usual.has(coin) || undefined, testnet: Boolean(is_testnet) || undefined });
const idOf = (/** @type {string} */ coin) => ours[coin]?.coin ?? coin;
const symbolOf = (/** @type {string} */ coin) => ours[coin]?.symbol ?? coin.replace(/-[A-Z]+\d*$/, "");

const networks = usable
  .filter(({ protocol, derivation_path }) => ["ETH", "TENDERMINT"].includes(protocol.type) && derivation_path)
  .map((entry) => {
    const { coin, fname, protocol } = entry;
    const override = ours[coin] ?? {};
    const name = override.name ?? fname;
    return {
      ...{ coin: idOf(coin), symbol: symbolOf(coin), name, network: override.network ?? name, kind: protocol.type === "ETH" ? "evm" : "cosmos" },
      ...{ chain_id: String(protocol.protocol_data.chain_id), decimals: protocol.protocol_data.decimals ?? 18, gas_prices: gasPrices[coin] },
      ...{ ...flags(entry), explorer: explorerOf(coin), coingecko: priceOf(coin), nodes: nodesOf(about[coin]) },
    };
  })
  .filter(({ nodes }) => nodes.length > 0);
const known = new Set(networks.map(({ coin }) => coin));

const tokens = usable
  .filter(({ protocol }) => protocol.type === "ERC20")
  .map((entry) => {
    const { coin, fname, decimals, protocol } = entry;
    const { platform, contract_address: contract } = protocol.protocol_data;
    return { coin, symbol: symbolOf(coin), name: fname, platform, contract, decimals: decimals ?? builtinDecimals.get(coin), ...flags(entry), coingecko: priceOf(coin) };
  })
  .filter(({ platform }) => known.has(platform));

for (const { coin, fname, protocol } of ibc) {
  const base = coin.split("-IBC_")[0];
  const { platform, denom, decimals } = protocol.protocol_data;
  tokens.push({ coin, symbol: base === "OSMOSIS" ? "OSMO" : base, name: fname, platform, denom, decimals, coingecko: priceOf(base === "OSMOSIS" ? "OSMO" : base) });
}

const lines = (/** @type {object[]} */ list) => `[\n${list.map((one) => `    ${JSON.stringify(one)}`).join(",\n")}\n  ]`;
const byName = (/** @type {{coin: string}} */ a, /** @type {{coin: string}} */ b) => (a.coin < b.coin ? -1 : 1);
const source = `github.com/${config.source?.split(";")[0] ?? "KomodoPlatform/coins, utils/coins_config.json"}; made by web/directory.js`;
process.stdout.write(`{\n  "source": ${JSON.stringify(source)},\n  "networks": ${lines(networks.sort(byName))},\n  "tokens": ${lines(tokens.sort(byName))}\n}\n`);
