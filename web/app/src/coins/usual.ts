/**
 * The default coins of a new wallet. Their networks are activated in the
 * background, one by one, with the public servers of the directory. The remaining work
 * is stored, so that a reload continues with it; failed networks are tried again at the next visit.
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

/** The activations in progress and those that failed; empty when all is done. */
export const steps = signal<readonly Step[]>([]);

effect(() => {
  toCome.value = steps.value.map(({ coin }) => coin).filter(Boolean);
});

/** How many of the activations that started together are done. */
export const progress = signal({ done: 0, of: 0 });

const ALL = "usual";
const AT_ONCE = 3;

const name = () => `setup.${whose()}`;

/** Returns what is left to activate for the wallet in use: tickers of networks, or "usual". */
const left = (): string[] => (recall(name()) ?? "").split(" ").filter(Boolean);

const keep = (coins: readonly string[]) => remember(name(), coins.join(" "));

/** Requests the default coins for a wallet that was just created or restored, once its node runs. */
export function wantUsual() {
  keep([ALL]);
  void begin();
}

/** Requests the coins of the wallet for a new account of it. */
export function wantSame(coins: readonly Remembered[]) {
  noteBefore(coins);
  keep(coins.map(({ ticker }) => ticker));
  void begin();
}

/** Returns a token of the directory, or one added by its contract before; undefined if it is not a token or not known. */
export function tokenOf(ticker: string): Token | undefined {
  const entry = entryOf(ticker);
  const { platform, contract } = rememberedOf(ticker) ?? {};
  return entry ? (isToken(entry) ? entry : undefined) : platform ? { coin: ticker, symbol: ticker, name: ticker, platform, ...(contract !== undefined && { contract }) } : undefined;
}

/** Returns a network of the directory, or one that was activated with the user's servers before. */
export function networkOf(ticker: string): Network | undefined {
  const settings = settingsOf(ticker);
  return networkEntry(ticker) ?? (settings && ({ coin: ticker, kind: settings.family ?? "cosmos", nodes: [] } as unknown as Network));
}

/** Returns the settings of a network with the servers of the directory, the user's own first. */
export function settingsFor({ kind, nodes }: Network, own: readonly string[] = []): Settings {
  const urls = [...new Set([...own, ...nodes.map(({ url }) => url)])];
  return { nodes: urls, api: "", history: kind === "cosmos", key: watched() === undefined ? "own" : "watch", family: kind };
}

type Tokens = readonly Token[];

/** Activates a network and its tokens one by one, so that one failure does not affect the others. */
export async function activateNetwork(network: Network, tokens: Tokens, settings = settingsFor(network)): Promise<void> {
  await activatePlatform(network, settings);
  await Promise.all(tokens.filter(({ coin }) => !find(coin)).map(activateToken));
}

async function activatePlatform(network: Network, settings: Settings): Promise<void> {
  await enableNetwork(network, settings);
  noteCoin(network.coin, settings);
  await refresh();
}

/** Activates a network on the node, which may have it active already. */
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

/** Returns what names a token to the node, which may not know its ticker. */
export const tokenRequest = ({ coin, platform, contract }: Token) => ({
  ticker: coin,
  ...(contract ? { protocol: { type: "ERC20" as const, protocol_data: { platform, contract_address: contract } } } : {}),
});

/** Activates more tokens on an active network. */
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

/** Continues with the remaining activations, including failed ones. */
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

/** Gives up on a network that could not be activated. */
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
