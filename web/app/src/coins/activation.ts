/**
 * The activation in progress, whichever view is open. The node activates all of it or
 * nothing, and takes as long as the slowest server that it waits for.
 */

import { effect, signal } from "@preact/signals";
import { RpcError, type Methods } from "obverse";
import { t } from "../language.ts";
import { recallInTab, rememberInTab } from "../memory.ts";
import { connection, rpc } from "../node.ts";
import { announce } from "../ui/announce.tsx";
import { chainOf, isNftNetwork, nftNetworkOf } from "./catalog.ts";
import { evmRequest } from "./evm.ts";
import { isEvm } from "./family.ts";
import { expected, holdings, nftNetworks, refresh } from "./holdings.ts";
import { policyOf } from "./keyplace.ts";
import { runTask } from "./nodetask.ts";
import { noteCoin, noteDisabled, noteNfts, noteToken, whose, type Services, type Settings } from "./remembered.ts";

export interface Wanted extends Settings {
  ticker: string;
  tokens: string[];
  /** EVM: where the network's NFTs are looked up, if they are activated too. */
  nfts?: Services | undefined;
}

/** A token that is not active although its platform is, and the reason. */
export type FailedToken = NonNullable<Methods["enable_eth_with_tokens"]["result"]["failed_tokens"]>[number];

export type Activation = { wanted: Wanted } & ({ is: "running" } | { is: "done"; address: string; already: boolean; failed: readonly FailedToken[] } | { is: "failed"; error: unknown } | { is: "cancelled" });

/** The last activation; null if there was none or the user has read its outcome. */
export const activation = signal<Activation | null>(null);

/** Counts activations, so that a cancelled one can detect that it is out of date. */
let turn = 0;

/** The turn of the activation that was cancelled last, which the node may still finish. */
let cancelled = 0;

const MARK = "activating";

/** A record of the activation in progress, for the same tab after a reload. */
interface Mark {
  wanted: Wanted;
  /** The wallet that the coins belong to. */
  of: string;
  cancelled: boolean;
}

/** The activation that was in progress when this tab was reloaded; null if there was none or its outcome is known. */
let left = readMark();

/** The same, unless the activation was cancelled. */
export const interrupted = signal<Wanted | null>(left === null || left.cancelled ? null : left.wanted);

expected.value = left?.wanted.ticker ?? null;

function readMark(): Mark | null {
  try {
    return JSON.parse(recallInTab(MARK) ?? "null") as Mark | null;
  } catch {
    return null;
  }
}

function setMark(wanted: Wanted, cancelled: boolean) {
  const mark: Mark = { wanted: withoutUsers(wanted), of: whose(), cancelled };
  rememberInTab(MARK, JSON.stringify(mark));
}

/** Clears the record of the interrupted activation once its outcome is known. */
export function forgetInterrupted() {
  left = null;
  interrupted.value = null;
  expected.value = null;
  rememberInTab(MARK, null);
}

// Only the node needs the credentials in addresses.
const withoutUsers = ({ nfts, ...wanted }: Wanted): Wanted => ({ ...wanted, nodes: wanted.nodes.filter((url) => !url.includes("@")), ...(nfts && !`${nfts.indexer} ${nfts.antispam}`.includes("@") ? { nfts } : {}) });

const request = ({ ticker, tokens, nodes, api, history, ...others }: Wanted) => ({
  ticker,
  tokens_params: tokens.map((token) => ({ ticker: token })),
  nodes: nodes.map((url, n) => ({ url, ...(n === 0 && api !== "" ? { api_url: api } : {}) })),
  tx_history: history,
  ...policyOf(others),
  ...(chainOf(ticker) ? {} : { mm2: 1 }),
});

const settings = ({ nodes, api, history, key, topic, family = "cosmos" }: Wanted): Settings => ({ nodes, api, history, key, ...(topic === undefined ? {} : { topic }), family });

type CosmosCoin = Methods["enable_tendermint_with_assets"]["result"];
type EvmCoin = Pick<Methods["enable_eth_with_tokens"]["result"], "eth_addresses_infos" | "wallet_balance" | "failed_tokens">;

/** Returns the first address of an HD wallet, or the only address. */
const addressOf = ({ eth_addresses_infos = {}, wallet_balance }: EvmCoin): string =>
  wallet_balance?.accounts[0]?.addresses[0]?.address ?? Object.keys(eth_addresses_infos)[0] ?? "";

/** Has the node activate the coin and returns its address and the tokens that are not active. */
async function enable(wanted: Wanted, current: () => boolean): Promise<{ address: string; failed: readonly FailedToken[] }> {
  const evm = wanted.family === "evm";
  const result = await (wanted.key === "device"
    ? evm ? runTask("task::enable_eth", evmRequest(wanted), current) : runTask("task::enable_tendermint", request(wanted), current)
    : evm ? rpc("enable_eth_with_tokens", evmRequest(wanted)) : rpc("enable_tendermint_with_assets", request(wanted)));
  const { failed_tokens: failed = [] } = result as CosmosCoin | EvmCoin;
  return { address: evm ? addressOf(result as EvmCoin) : (result as CosmosCoin).address, failed };
}

/** Remembers the requested coins and tokens that have become active. */
function note(wanted: Wanted, isActive = (_ticker: string) => true) {
  const { ticker, tokens, nfts } = wanted;
  noteCoin(ticker, settings(wanted));
  tokens.filter(isActive).forEach((token) => noteToken(token, ticker));
  if (nfts && isActive(nftNetworkOf(ticker))) {
    noteNfts(nftNetworkOf(ticker), ticker, nfts);
  }
}

/** Activates a coin with its tokens. The outcome is in activation. */
export async function activate(wanted: Wanted): Promise<void> {
  const mine = ++turn;
  const node = connection.peek();
  activation.value = { is: "running", wanted };
  cancelled = 0;
  if (left?.cancelled) {
    forgetInterrupted();
  }
  setMark(wanted, false);
  const current = () => mine === turn && connection.peek() === node;
  let known = true;
  try {
    const { address, failed } = await enable(wanted, current);
    if (current()) {
      await refresh(); // before the outcome appears: the coin must be listed as active when the user continues with its tokens
    }
    if (current()) {
      note(wanted, (ticker) => !failed.some((token) => token.ticker === ticker));
      announce([t("coins.active", { ticker: wanted.ticker }), ...(failed.length > 0 ? [t("coins.tokensnotactive", { tokens: failed.map(({ ticker }) => ticker).join(", ") })] : [])].join(" "));
      activation.value = { is: "done", wanted, address, already: false, failed };
    } else {
      await undo(wanted, mine !== turn && connection.peek() === node);
    }
  } catch (error) {
    known = error instanceof RpcError; // otherwise the connection to the node was lost, or the page is closing
    const already = error instanceof RpcError && error.kind === "PlatformIsAlreadyActivated";
    if (already) {
      await refresh();
    }
    if (current()) {
      announce(already ? t("coins.active", { ticker: wanted.ticker }) : t("coins.notactive", { ticker: wanted.ticker }));
      activation.value = already ? { is: "done", wanted, address: "", already, failed: [] } : { is: "failed", wanted, error };
    }
  }
  if (known && (current() || mine === cancelled)) {
    forgetInterrupted();
  }
  await refresh();
}

/** Disables what a cancelled activation has activated after all, unless it was requested again since. */
async function undo({ ticker, tokens, nfts }: Wanted, sameNode: boolean) {
  const again = activation.peek();
  if (sameNode && !(again?.is === "running" && again.wanted.ticker === ticker)) {
    const forget = () => [ticker, ...tokens, ...(nfts ? [nftNetworkOf(ticker)] : [])].forEach((undone) => noteDisabled(undone, false));
    forget(); // first, so that a page reloaded in the meantime does not expect the coins
    await rpc("disable_coin", { coin: ticker, force_disable: true }).catch(() => {});
    forget(); // the coins may have been listed as active in the meantime
    await refresh();
  }
}

/** Cancels the activation, on the node too. If the node has already finished, the coins are disabled again. */
export function cancel() {
  const now = activation.peek();
  if (now?.is === "running") {
    cancelled = turn++;
    activation.value = { is: "cancelled", wanted: now.wanted };
    if (holdings.peek()?.some((held) => held.ticker === now.wanted.ticker)) {
      forgetInterrupted(); // it was active before, or is about to be disabled
    } else {
      setMark(now.wanted, true); // so that a reload does not resume it
      void end(now.wanted, false).catch(() => {});
    }
  }
}

/** Cancels an activation on the node. A coin that was active before stays active, since another client may use it; if alone is set, it is disabled. */
async function end(wanted: Wanted, alone: boolean) {
  const { coins } = await rpc("get_enabled_coins");
  if (!coins.some(({ ticker }) => ticker === wanted.ticker)) {
    await rpc("disable_coin", { coin: wanted.ticker, force_disable: false }); // fails with NoSuchCoin if the activation was cancelled in time
  } else if (alone) {
    await undo(wanted, true);
  }
}

/** Activates tokens on an active coin, one after another. It returns the first error and the tokens that are not active. */
export async function activateEach(platform: string, tokens: readonly string[]): Promise<[error: unknown, left: string[]]> {
  const left: string[] = [];
  let first: unknown = null;
  for (const ticker of tokens) {
    try {
      await rpc(isEvm(platform) ? "enable_erc20" : "enable_tendermint_token", { ticker });
    } catch (error) {
      if (!(error instanceof RpcError && error.kind === "TokenIsAlreadyActivated")) {
        first ??= error;
        left.push(ticker);
        continue;
      }
    }
    noteToken(ticker, platform);
  }
  await refresh();
  const active = tokens.filter((ticker) => !left.includes(ticker));
  if (active.length > 0) {
    announce(t("coins.tokensactive", { tokens: active.join(", ") }));
  }
  return [first, left];
}

/** Activates tokens on an active coin. The error is the first one; the remaining tokens are activated nevertheless. */
export async function activateTokens(platform: string, tokens: string[]): Promise<void> {
  const [error] = await activateEach(platform, tokens);
  if (error !== null) {
    throw error;
  }
}

/** Disables a coin. Without its tokens the coin stays enabled for them but is hidden. */
export async function disable(ticker: string, withTokens: boolean): Promise<void> {
  try {
    await rpc("disable_coin", { coin: ticker, force_disable: withTokens });
  } catch (error) {
    if (!(error instanceof RpcError && error.kind === "NoSuchCoin")) {
      throw error;
    }
  }
  noteDisabled(ticker, withTokens);
  await refresh();
  announce(isNftNetwork(ticker) ? t("coins.nftsdisabled") : t("coins.disabled", { ticker }));
}

effect(() => {
  connection.value; // reset when the node changes
  turn++;
  activation.value = null;
});

// An activation that was cancelled before this tab was reloaded is ended at once. Later, another client may be using the coin.
effect(() => {
  const before = left;
  if (connection.value && before?.cancelled && before.of === whose()) {
    forgetInterrupted();
    void end(before.wanted, true).catch(() => {});
  }
});

// The node has finished an activation that was interrupted by a reload.
effect(() => {
  const active = [...(holdings.value ?? []).map(({ ticker }) => ticker), ...nftNetworks.value];
  const before = left;
  if (before?.of === whose() && !before.cancelled && active.includes(before.wanted.ticker)) {
    forgetInterrupted();
    note(before.wanted, (ticker) => active.includes(ticker));
  }
});
