/**
 * The coins that a new wallet has without being asked: their networks are activated in the
 * background, each by itself, with the public servers of the directory. What is left to do
 * is remembered, so that a reload continues with it; what failed is tried again by the next visit.
 */

import { policyOf } from "./keyplace.ts";
import { watched, watchedFamily } from "./watched.ts";
import { effect, signal, untracked } from "@preact/signals";
import { RpcError } from "obverse";
import { connection, rpc } from "../node.ts";
import { recall, remember } from "../memory.ts";
import { entryOf, isToken, loadDirectory, networkEntry, type Network, type Token } from "./directory.ts";
import { evmRequest } from "./evm.ts";
import { find, refresh, returning, wanted as toCome } from "./holdings.ts";
import { noteBefore, noteCoin, noteToken, rememberedOf, settingsOf, whose, type Remembered, type Settings } from "./remembered.ts";

export interface Step {
  coin: string;
  is: "waiting" | "running" | "failed";
  error?: unknown;
}

/** What is being activated, or could not be; empty when all is done. */
export const steps = signal<readonly Step[]>([]);

effect(() => {
  toCome.value = steps.value.map(({ coin }) => coin).filter(Boolean);
});

/** How many of how many are done, of those that began together. */
export const progress = signal({ done: 0, of: 0 });

const ALL = "usual";
const AT_ONCE = 3;

const name = () => `setup.${whose()}`;

/** What is left to activate for the wallet in use: tickers of networks, or "usual". */
const left = (): string[] => (recall(name()) ?? "").split(" ").filter(Boolean);

const keep = (coins: readonly string[]) => remember(name(), coins.join(" "));

/** A wallet was just made or restored: it is to have the usual coins, as soon as its node runs. */
export function wantUsual() {
  keep([ALL]);
  void begin();
}

/** A new account of a wallet is to have the coins of the one that it was made in. */
export function wantSame(coins: readonly Remembered[]) {
  noteBefore(coins);
  keep(coins.map(({ ticker }) => ticker));
  void begin();
}

/** A token by its ticker, of the directory or added by its contract before; undefined: not a token, or not known. */
export function tokenOf(ticker: string): Token | undefined {
  const entry = entryOf(ticker);
  const { platform, contract } = rememberedOf(ticker) ?? {};
  return entry ? (isToken(entry) ? entry : undefined) : platform ? { coin: ticker, symbol: ticker, name: ticker, platform, ...(contract !== undefined && { contract }) } : undefined;
}

/** A network by its ticker, of the directory or activated with servers of the user's before. */
export function networkOf(ticker: string): Network | undefined {
  const settings = settingsOf(ticker);
  return networkEntry(ticker) ?? (settings && ({ coin: ticker, kind: settings.family ?? "cosmos", nodes: [] } as unknown as Network));
}

/** How a network is activated with the servers of the directory, the user's own first. */
export function settingsFor({ kind, nodes }: Network, own: readonly string[] = []): Settings {
  const urls = [...new Set([...own, ...nodes.map(({ url }) => url)])];
  return { nodes: urls, api: "", history: kind === "cosmos", key: watched() === undefined ? "own" : "watch", family: kind };
}

type Tokens = readonly Token[];

/** Activates a network, and tokens on it one by one: one that fails leaves the others as they are. */
export async function activateNetwork(network: Network, tokens: Tokens, settings = settingsFor(network)): Promise<void> {
  await activatePlatform(network, settings);
  await Promise.all(tokens.filter(({ coin }) => !find(coin)).map(activateToken));
}

async function activatePlatform(network: Network, settings: Settings): Promise<void> {
  await enableNetwork(network, settings);
  noteCoin(network.coin, settings);
  await refresh();
}

/** Activates a network in the node, which may have it active already. */
export async function enableNetwork({ coin, kind }: Network, settings: Settings): Promise<void> {
  try {
    if (kind === "evm") {
      await rpc("enable_eth_with_tokens", evmRequest({ ...settings, ticker: coin, tokens: [] }));
    } else {
      await rpc("enable_tendermint_with_assets", { ticker: coin, tokens_params: [], nodes: settings.nodes.map((url) => ({ url })), tx_history: true, ...policyOf(settings) });
    }
  } catch (error) {
    if (!(error instanceof RpcError && error.kind === "PlatformIsAlreadyActivated")) {
      throw error;
    }
  }
}

/** What names a token to the node, which may not know it by its ticker. */
export const tokenRequest = ({ coin, platform, contract }: Token) => ({
  ticker: coin,
  ...(contract ? { protocol: { type: "ERC20" as const, protocol_data: { platform, contract_address: contract } } } : {}),
});

/** Activates more tokens on a network that is active. */
export async function activateToken(token: Token): Promise<void> {
  try {
    await rpc(token.contract ? "enable_erc20" : "enable_tendermint_token", tokenRequest(token) as { ticker: string });
  } catch (error) {
    if (!(error instanceof RpcError && error.kind === "TokenIsAlreadyActivated")) {
      throw error;
    }
  }
  noteToken(token.coin, token.platform, token.contract);
}

const put = (coin: string, step: Step | null) => {
  const now = steps.peek();
  steps.value = step ? now.map((one) => (one.coin === coin ? step : one)) : now.filter((one) => one.coin !== coin);
};

let turn = 0;

async function one(network: Network, tokens: Tokens, current: () => boolean): Promise<void> {
  const { coin } = network;
  put(coin, { coin, is: "running" });
  try {
    await activateNetwork(network, tokens, settingsOf(coin));
  } catch (error) {
    if (current()) {
      put(coin, { coin, is: "failed", error });
      await refresh();
    }
    return;
  }
  if (current()) {
    keep(left().filter((ticker) => ticker !== coin && !tokens.some((token) => token.coin === ticker)));
    progress.value = { ...progress.peek(), done: progress.peek().done + 1 };
    await refresh();
    put(coin, null);
  }
}

/** Activates networks, a few at a time. */
async function run(networks: readonly Network[], tokens: Tokens, current: () => boolean): Promise<void> {
  steps.value = networks.map(({ coin }) => ({ coin, is: "waiting" }));
  progress.value = { done: 0, of: networks.length };
  const waiting = [...networks];
  const worker = async () => {
    for (let next = waiting.shift(); next && current(); next = waiting.shift()) {
      const { coin } = next;
      await one(next, tokens.filter((token) => token.platform === coin), current);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

/** Continues with what is left to activate; also what failed. */
export async function begin(): Promise<void> {
  const node = connection.peek();
  if (!node || left().length === 0) {
    return;
  }
  const mine = ++turn;
  const current = () => mine === turn && connection.peek() === node;
  try {
    const { networks, tokens } = await loadDirectory();
    const family = watchedFamily();
    const usual = networks.filter((network) => network.usual && (family === null || network.kind === family));
    const coins = [...new Set(left().flatMap((ticker) => (ticker === ALL ? [...usual, ...tokens.filter((token) => token.usual)].map(({ coin }) => coin) : [ticker])))];
    keep(coins);
    const open = coins.filter((ticker) => !returning.peek().includes(ticker));
    const wantedTokens = open.flatMap((ticker) => tokenOf(ticker) ?? []);
    const wanted = open.flatMap((ticker) => (wantedTokens.some(({ coin }) => coin === ticker) ? [] : (networkOf(ticker) ?? [])));
    keep([...wanted, ...wantedTokens].map(({ coin }) => coin));
    if (current()) {
      await run(wanted, wantedTokens, current);
    }
  } catch (error) {
    if (current()) {
      steps.value = [{ coin: "", is: "failed", error }];
    }
  }
}

/** The user does without a network that could not be activated. */
export function giveUp(coin: string) {
  keep(left().filter((ticker) => ticker !== coin && ticker !== ALL));
  put(coin, null);
}

effect(() => {
  connection.value;
  untracked(() => {
    turn++;
    steps.value = [];
    progress.value = { done: 0, of: 0 };
    void begin();
  });
});
