/**
 * The coins that every node knows: those that are built into it. A native node may know
 * more, by its coins file; no method lists them.
 */

import entries from "../../../../core/wallet/coin/builtin.json";
import { t } from "../language.ts";

/** The kinds of chains that have servers of their own kind: Cosmos chains, and EVM networks. */
export type Family = "cosmos" | "evm";

/** A chain's coin, or a token on one. */
export interface CoinFacts {
  ticker: string;
  /** For people. */
  name: string;
  /** Undefined: the contract of the token knows them. */
  decimals: number | undefined;
  /** Of a token: the ticker of the chain's coin. */
  platform?: string;
}

export interface Chain extends CoinFacts {
  family: Family;
  id: string;
  /** Cosmos: what its addresses begin with, before the 1. */
  prefix: string;
  /** Cosmos: in github.com/cosmos/chain-registry. */
  registry: string;
  /** The IBC channels to chains of other prefixes. */
  channels: Record<string, number>;
  /** Seconds, about. */
  blockTime: number;
  /** Blocks after which a transaction is relied upon; 1: it is final with the first. */
  confirmations: number;
}

/** A coin on the Lightning network. It has peers, and nothing to send or to receive. */
export interface LightningCoin {
  ticker: string;
  name: string;
  /** Of the chain below it: mainnet, testnet or regtest. */
  network: string;
}

interface Entry {
  coin: string;
  fname: string;
  decimals?: number;
  avg_blocktime?: number;
  required_confirmations?: number;
  protocol: { type: string; protocol_data?: Record<string, unknown> };
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");

const of = (...types: string[]): Entry[] => (entries as Entry[]).filter(({ protocol }) => types.includes(protocol.type));

const WEI = 18; // decimals of every EVM network's coin

export const chains: readonly Chain[] = of("TENDERMINT", "ETH").map(({ coin, fname, avg_blocktime = 7, required_confirmations = 1, protocol: { type, protocol_data = {} } }) => {
  const common = { ticker: coin, name: fname, blockTime: avg_blocktime };
  const { decimals, chain_id, account_prefix, chain_registry_name, ibc_channels } = protocol_data;
  return type === "ETH"
    ? { ...common, family: "evm", decimals: WEI, id: String(chain_id), prefix: "", registry: "", channels: {}, confirmations: required_confirmations }
    : { ...common, family: "cosmos", decimals: Number(decimals), id: text(chain_id), prefix: text(account_prefix), registry: text(chain_registry_name), channels: (ibc_channels ?? {}) as Record<string, number>, confirmations: 1 };
});

export const tokens: readonly CoinFacts[] = of("TENDERMINTTOKEN", "ERC20").map(({ coin, fname, decimals, protocol: { protocol_data = {} } }) => ({
  ticker: coin,
  name: fname,
  decimals: typeof protocol_data.decimals === "number" ? protocol_data.decimals : decimals,
  platform: text(protocol_data.platform),
}));

const byTicker = new Map<string, CoinFacts>([...tokens, ...chains].map((coin) => [coin.ticker, coin]));

/** What the tickers of networks of NFTs begin with: NFT_MATIC. */
const NFT = "NFT_";

/** Whether a ticker names the NFTs on a network, and no coin. */
export const isNftNetwork = (ticker: string): boolean => ticker.startsWith(NFT);

/** The ticker of the NFTs on a network. */
export const nftNetworkOf = (platform: string): string => NFT + platform;

/** How tickers of ERC-20 tokens end in the public coins list, and on which network those are. */
const endings: Record<string, string> = { ERC20: "ETH", PLG20: "MATIC", BEP20: "BNB", AVX20: "AVAX", FTM20: "FTM", KRC20: "KCS", MVR20: "MOVR", HRC20: "ONE" };

export const lightningCoins: readonly LightningCoin[] = of("LIGHTNING").map(({ coin, fname, protocol }) => ({ ticker: coin, name: fname, network: text(protocol.protocol_data?.network) }));

/** Whether a coin is one of the Lightning network, as tickers tell: those that the node alone knows are named so too. */
export const isLightning = (ticker: string): boolean => ticker.endsWith("-lightning");

/** The ticker of the coin that a token lives on; null if it is no token. */
export function platformOf(ticker: string): string | null {
  const known = byTicker.get(ticker)?.platform;
  return known ?? (isNftNetwork(ticker) ? ticker.slice(NFT.length) : (/-IBC_(.+)$/.exec(ticker)?.[1] ?? endings[/-(\w+)$/.exec(ticker)?.[1] ?? ""] ?? null));
}

/** The chain that a coin is on; undefined if the node alone knows it. */
export const chainOf = (ticker: string): Chain | undefined => chains.find((chain) => chain.ticker === (platformOf(ticker) ?? ticker));

/** What is known of a coin. */
export const coinOf = (ticker: string): CoinFacts | undefined => byTicker.get(ticker);

/** The name of a coin for people: its ticker, if nothing better is known. */
export const nameOf = (ticker: string): string => (isNftNetwork(ticker) ? t("coins.nftson", { network: nameOf(platformOf(ticker) ?? "") }) : ((coinOf(ticker) ?? lightningOf(ticker))?.name ?? ticker));

const lightningOf = (ticker: string): LightningCoin | undefined => lightningCoins.find((coin) => coin.ticker === ticker);

/** The network of a coin of Lightning: "Lightning, mainnet". */
export const lightningNetwork = (ticker: string): string => ["Lightning", lightningOf(ticker)?.network].filter(Boolean).join(", ");
