/**
 * Searches all networks of the directory for coins of the wallet, and EVM networks for the
 * directory's tokens too. Networks and tokens with a balance stay active.
 */

import { signal } from "@preact/signals";
import { connection, rpc } from "../node.ts";
import { isSame } from "./addresses.ts";
import { loadDirectory, type Directory, type Network } from "./directory.ts";
import { find, refresh } from "./holdings.ts";
import { noteCoin, noteDisabled } from "./remembered.ts";
import { activateToken, enableNetwork, settingsFor } from "./usual.ts";

export interface Discovery {
  done: number;
  of: number;
  /** Networks with a balance that were not active. */
  found: readonly string[];
  /** Tokens with a balance that were not active. */
  tokens: readonly string[];
  /** Networks whose servers did not respond. */
  unknown: readonly string[];
}

/** The last search on this node; null if there was none. */
export const discovery = signal<Discovery | null>(null);

connection.subscribe(() => (discovery.value = null));

const AT_ONCE = 3;

interface Held {
  tokens: readonly string[];
  /** Whether every contract responded. */
  whole: boolean;
}

/** Activates the tokens with a balance on an active network. */
async function tokensOn({ coin, kind }: Network, { tokens }: Directory): Promise<Held> {
  const known = tokens.filter((token) => token.platform === coin && token.contract && !find(token.coin));
  if (kind !== "evm" || known.length === 0) {
    return { tokens: [], whole: true };
  }
  const { held, failed } = await rpc("find_tokens", { coin, contracts: known.map(({ contract = "" }) => contract) });
  const found = known.filter(({ contract = "" }) => held.some((one) => isSame(one.contract, contract)));
  for (const token of found) {
    await activateToken(token);
  }
  return { tokens: found.map(({ name }) => name), whole: failed.length === 0 };
}

/** Looks up the balances on a network, which stays active only if there is one. */
async function holds(network: Network, directory: Directory): Promise<Held & { is: boolean }> {
  const { coin } = network;
  if (find(coin)) {
    return { is: false, ...(await tokensOn(network, directory)) };
  }
  const settings = settingsFor(network);
  await enableNetwork(network, settings);
  const { balance, unspendable_balance } = await rpc("my_balance", { coin });
  const held = await tokensOn(network, directory);
  if (balance === "0" && unspendable_balance === "0" && held.tokens.length === 0) {
    await rpc("disable_coin", { coin, force_disable: false });
    noteDisabled(coin, false); // a refresh in the meantime may have marked it as active
    return { is: false, ...held };
  }
  noteCoin(coin, settings);
  return { is: true, ...held };
}

/** Searches all networks. */
export async function discover(): Promise<void> {
  const node = connection.peek();
  const directory = await loadDirectory();
  const waiting = directory.networks.filter((network) => !network.testnet && (network.kind === "evm" || !find(network.coin)));
  discovery.value = { done: 0, of: waiting.length, found: [], tokens: [], unknown: [] };
  const note = (change: (now: Discovery) => Partial<Discovery>) => {
    const now = discovery.peek();
    if (now && connection.peek() === node) {
      discovery.value = { ...now, done: now.done + 1, ...change(now) };
    }
  };
  const worker = async () => {
    for (let next = waiting.shift(); next && connection.peek() === node; next = waiting.shift()) {
      const { network } = next;
      try {
        const held = await holds(next, directory);
        note(({ found, tokens, unknown }) => ({ found: held.is ? [...found, network] : found, tokens: [...tokens, ...held.tokens], unknown: held.whole ? unknown : [...unknown, network] }));
      } catch {
        note(({ unknown }) => ({ unknown: [...unknown, network] }));
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  await refresh();
}
