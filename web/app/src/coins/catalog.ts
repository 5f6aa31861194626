/**
 * The coins that every node knows: those that are built into it. A native node may know
 * more, by its coins file; no method lists them.
 */

import entries from "../../../../core/coin/builtin.json";

/** A chain of the Cosmos family, or a token on one. */
export interface CoinFacts {
  ticker: string;
  /** For people. */
  name: string;
  decimals: number;
  /** Of a token: the ticker of the chain's coin. */
  platform?: string;
}

export interface Chain extends CoinFacts {
  id: string;
  /** What its addresses begin with, before the 1. */
  prefix: string;
  /** In github.com/cosmos/chain-registry. */
  registry: string;
  /** The IBC channels to chains of other prefixes. */
  channels: Record<string, number>;
  /** Seconds, about. */
  blockTime: number;
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
  avg_blocktime?: number;
  protocol: { type: string; protocol_data?: Record<string, unknown> };
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");

const facts = ({ coin, fname, protocol: { protocol_data = {} } }: Entry): CoinFacts => ({ ticker: coin, name: fname, decimals: Number(protocol_data.decimals) });

const of = (type: string): Entry[] => (entries as Entry[]).filter(({ protocol }) => protocol.type === type);

export const chains: readonly Chain[] = of("TENDERMINT").map((entry) => {
  const { chain_id, account_prefix, chain_registry_name, ibc_channels } = entry.protocol.protocol_data ?? {};
  return {
    ...facts(entry),
    id: text(chain_id),
    prefix: text(account_prefix),
    registry: text(chain_registry_name),
    channels: (ibc_channels ?? {}) as Record<string, number>,
    blockTime: entry.avg_blocktime ?? 7,
  };
});

export const tokens: readonly CoinFacts[] = of("TENDERMINTTOKEN").map((entry) => ({ ...facts(entry), platform: text(entry.protocol.protocol_data?.platform) }));

export const lightningCoins: readonly LightningCoin[] = of("LIGHTNING").map(({ coin, fname, protocol }) => ({ ticker: coin, name: fname, network: text(protocol.protocol_data?.network) }));

/** Whether a coin is one of the Lightning network, as tickers tell: those that the node alone knows are named so too. */
export const isLightning = (ticker: string): boolean => ticker.endsWith("-lightning");

/** The ticker of the coin that a token lives on; null if it is no token. */
export function platformOf(ticker: string): string | null {
  return tokens.find((token) => token.ticker === ticker)?.platform ?? /-IBC_(.+)$/.exec(ticker)?.[1] ?? null;
}

/** The chain that a coin is on; undefined if the node alone knows it. */
export const chainOf = (ticker: string): Chain | undefined => chains.find((chain) => chain.ticker === (platformOf(ticker) ?? ticker));

/** What is known of a coin. */
export const coinOf = (ticker: string): CoinFacts | undefined => [...chains, ...tokens].find((coin) => coin.ticker === ticker);

/** The name of a coin for people: its ticker, if nothing better is known. */
export const nameOf = (ticker: string): string => (coinOf(ticker) ?? lightningOf(ticker))?.name ?? ticker;

const lightningOf = (ticker: string): LightningCoin | undefined => lightningCoins.find((coin) => coin.ticker === ticker);

/** The network of a coin in words: "Cosmos, cosmoshub-4". */
export function networkOf(ticker: string): string {
  if (isLightning(ticker)) {
    const { network } = lightningOf(ticker) ?? {};
    return network ? `Lightning, ${network}` : "Lightning";
  }
  const chain = chainOf(ticker);
  return chain ? `${chain.name}, ${chain.id}` : (platformOf(ticker) ?? ticker);
}
