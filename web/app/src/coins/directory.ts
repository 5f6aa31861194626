/**
 * The directory of coins: networks with their public servers and explorers, tokens with
 * their contracts, and their price ids. It is a separate file, loaded when it is first needed.
 * It is served with the page, so no one learns what is looked up.
 */

import { signal } from "@preact/signals";
import type { Family } from "./catalog.ts";
import place from "../../../../core/wallet/directory/directory.json?url";

/** A network and its coin. */
export interface Network {
  /** The ticker. */
  coin: string;
  /** The symbol in common use: POL for MATIC. */
  symbol: string;
  name: string;
  /** The name of the network: "BNB Smart Chain". */
  network: string;
  kind: Family;
  chain_id: string;
  decimals: number;
  /** URLs in which "{}" stands for the hash or the address. */
  explorer?: { tx: string; address: string };
  /** The coin's id at CoinGecko. */
  coingecko?: string;
  /** The gas prices slow, normal and fast, per unit of gas in the coin's smallest unit. */
  gas_prices?: [string, string, string];
  nodes: { url: string; ws?: string }[];
  /** Whether it is active in new wallets by default. */
  usual?: true;
  testnet?: true;
}

/** A token on a network. */
export interface Token {
  coin: string;
  symbol: string;
  name: string;
  platform: string;
  contract?: string;
  denom?: string;
  decimals?: number;
  coingecko?: string;
  usual?: true;
}

export interface Directory {
  source: string;
  networks: Network[];
  tokens: Token[];
}

/** The directory; null until it is loaded. */
export const directory = signal<Directory | null>(null);

let loading: Promise<Directory> | null = null;

async function load(): Promise<Directory> {
  const answer = await fetch(place, { credentials: "omit" });
  if (!answer.ok) {
    throw new Error(`the directory of coins: status ${answer.status}`);
  }
  const loaded = (await answer.json()) as Directory;
  byCoin = new Map([...loaded.networks, ...loaded.tokens].map((coin) => [coin.coin, coin]));
  directory.value = loaded;
  return loaded;
}

/** Loads the directory once. After a failure, the next call tries again. */
export function loadDirectory(): Promise<Directory> {
  loading ??= load().catch((error: unknown) => {
    loading = null;
    throw error;
  });
  return loading;
}

let byCoin = new Map<string, Network | Token>();

/** Returns the directory's entry for a ticker. Components that use it are rendered again when the directory is loaded. */
export function entryOf(ticker: string): Network | Token | undefined {
  return directory.value ? byCoin.get(ticker) : undefined;
}

export const isToken = (coin: Network | Token): coin is Token => "platform" in coin;

/** Returns a function that gives the position of a ticker in the directory: networks, then tokens. */
export function directoryOrder(): (ticker: string) => number {
  const places = new Map(directory.value ? [...byCoin.keys()].map((ticker, at) => [ticker, at]) : []);
  return (ticker) => places.get(ticker) ?? places.size;
}

/** Returns the network of a ticker. */
export function networkEntry(ticker: string): Network | undefined {
  const entry = entryOf(ticker);
  const of = entry && isToken(entry) ? entryOf(entry.platform) : entry;
  return of && !isToken(of) ? of : undefined;
}

const filled = (pattern: string | undefined, text: string): string | undefined => pattern?.replace("{}", encodeURIComponent(text));

/** Returns the URL of a transaction in a public explorer. */
export function txLink(ticker: string, hash: string): string | undefined {
  const network = networkEntry(ticker);
  return filled(network?.explorer?.tx, network?.kind === "evm" && !hash.startsWith("0x") ? `0x${hash}` : hash);
}

/** Returns the URL of an address in a public explorer. */
export const addressLink = (ticker: string, address: string): string | undefined => filled(networkEntry(ticker)?.explorer?.address, address);
