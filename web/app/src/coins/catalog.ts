/**
 * The coins that are built into every node. A native node may know more from its
 * coins file; no method lists those.
 */

import entries from "../../../../core/wallet/coin/builtin.json";
import { t } from "../language.ts";

/** The families of chains with their own kind of servers: Cosmos chains and EVM networks. */
export type Family = "cosmos" | "evm";

/** Where the key of a coin is. "own": in the node; "browser": in a browser extension; "device": in a hardware wallet; "session": in a wallet connected by WalletConnect; "watch": no key. */
export type KeyPlace = "own" | "browser" | "device" | "session" | "watch";

/** A chain's coin or a token. */
export interface CoinFacts {
  ticker: string;
  /** The display name. */
  name: string;
  /** The number of decimals; undefined if only the token's contract has it. */
  decimals: number | undefined;
  /** Of a token: the ticker of its chain's coin. */
  platform?: string;
}

export interface Chain extends CoinFacts {
  family: Family;
  id: string;
  /** Cosmos: the address prefix, before the 1. */
  prefix: string;
  /** Cosmos: the name in github.com/cosmos/chain-registry. */
  registry: string;
  /** The IBC channels to chains with other prefixes. */
  channels: Record<string, number>;
  /** Approximate block time in seconds. */
  blockTime: number;
  /** Confirmations after which a transaction is considered final; 1 if the first block is final. */
  confirmations: number;
}

/** A Lightning network coin. It has peers but cannot be sent or received. */
export interface LightningCoin {
  ticker: string;
  name: string;
  /** The underlying network: mainnet, testnet or regtest. */
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

const ofProtocol = (...types: string[]): Entry[] => (entries as Entry[]).filter(({ protocol }) => types.includes(protocol.type));

const WEI = 18; // decimals of the coin of every EVM network

export const chains: readonly Chain[] = ofProtocol("TENDERMINT", "ETH").map(({ coin, fname, avg_blocktime = 7, required_confirmations = 1, protocol: { type, protocol_data = {} } }) => {
  const common = { ticker: coin, name: fname, blockTime: avg_blocktime };
  const { decimals, chain_id, account_prefix, chain_registry_name, ibc_channels } = protocol_data;
  return type === "ETH"
    ? { ...common, family: "evm", decimals: WEI, id: String(chain_id), prefix: "", registry: "", channels: {}, confirmations: required_confirmations }
    : { ...common, family: "cosmos", decimals: Number(decimals), id: text(chain_id), prefix: text(account_prefix), registry: text(chain_registry_name), channels: (ibc_channels ?? {}) as Record<string, number>, confirmations: 1 };
});

export const tokens: readonly CoinFacts[] = ofProtocol("TENDERMINTTOKEN", "ERC20").map(({ coin, fname, decimals, protocol: { protocol_data = {} } }) => ({
  ticker: coin,
  name: fname,
  decimals: typeof protocol_data.decimals === "number" ? protocol_data.decimals : decimals,
  platform: text(protocol_data.platform),
}));

const byTicker = new Map<string, CoinFacts>([...tokens, ...chains].map((coin) => [coin.ticker, coin]));

/** Ticker prefix of NFT networks: NFT_MATIC. */
const NFT = "NFT_";

/** Reports whether a ticker names the NFTs of a network rather than a coin. */
export const isNftNetwork = (ticker: string): boolean => ticker.startsWith(NFT);

/** Returns the ticker of the NFTs of a network. */
export const nftNetworkOf = (platform: string): string => NFT + platform;

/** Ticker suffixes of ERC-20 tokens in the public coins list, and their networks. */
const endings: Record<string, string> = { ERC20: "ETH", PLG20: "MATIC", BEP20: "BNB", AVX20: "AVAX", FTM20: "FTM", KRC20: "KCS", MVR20: "MOVR", HRC20: "ONE" };

export const lightningCoins: readonly LightningCoin[] = ofProtocol("LIGHTNING").map(({ coin, fname, protocol }) => ({ ticker: coin, name: fname, network: text(protocol.protocol_data?.network) }));

/** Reports whether a ticker is a Lightning coin's. Coins from a node's own coins file follow the same naming. */
export const isLightning = (ticker: string): boolean => ticker.endsWith("-lightning");

/** Returns the ticker of a token's platform coin; null if it is not a token. */
export function platformOf(ticker: string): string | null {
  const known = byTicker.get(ticker)?.platform;
  return known ?? (isNftNetwork(ticker) ? ticker.slice(NFT.length) : (/-IBC_(.+)$/.exec(ticker)?.[1] ?? endings[/-(\w+)$/.exec(ticker)?.[1] ?? ""] ?? null));
}

/** Returns the chain of a coin; undefined if only the node knows it. */
export const chainOf = (ticker: string): Chain | undefined => chains.find((chain) => chain.ticker === (platformOf(ticker) ?? ticker));

/** Returns the built-in metadata of a coin. */
export const coinOf = (ticker: string): CoinFacts | undefined => byTicker.get(ticker);

/** Returns the display name of a coin, or its ticker if it has no name. */
export const nameOf = (ticker: string): string => (isNftNetwork(ticker) ? t("coins.nftson", { network: nameOf(platformOf(ticker) ?? "") }) : ((coinOf(ticker) ?? lightningOf(ticker))?.name ?? ticker));

const lightningOf = (ticker: string): LightningCoin | undefined => lightningCoins.find((coin) => coin.ticker === ticker);

/** Returns the network of a Lightning coin: "Lightning, mainnet". */
export const lightningNetwork = (ticker: string): string => ["Lightning", lightningOf(ticker)?.network].filter(Boolean).join(", ");
