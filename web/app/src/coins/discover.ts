/** Looks on all networks of the directory for what the wallet holds: networks with a balance stay active. */

import { signal } from "@preact/signals";
import { connection, rpc } from "../node.ts";
import { loadDirectory, type Network } from "./directory.ts";
import { find, refresh } from "./holdings.ts";
import { noteCoin, noteDisabled } from "./remembered.ts";
import { enableNetwork, settingsFor } from "./usual.ts";

export interface Discovery {
  done: number;
  of: number;
  /** Networks on which something is held. */
  found: readonly string[];
  /** Networks whose servers did not answer. */
  unknown: readonly string[];
}

/** The last one of this node; null: there was none. */
export const discovery = signal<Discovery | null>(null);

connection.subscribe(() => (discovery.value = null));

const AT_ONCE = 3;

/** Whether something is held on a network, which stays active only if so. */
async function holds(network: Network): Promise<boolean> {
  const { coin } = network;
  const settings = settingsFor(network);
  await enableNetwork(network, settings);
  const { balance, unspendable_balance } = await rpc("my_balance", { coin });
  if (balance === "0" && unspendable_balance === "0") {
    await rpc("disable_coin", { coin, force_disable: false });
    noteDisabled(coin, false); // a look meanwhile may have noted it
    return false;
  }
  noteCoin(coin, settings);
  return true;
}

/** Asks the servers of all networks that are not active. */
export async function discover(): Promise<void> {
  const node = connection.peek();
  const { networks } = await loadDirectory();
  const waiting = networks.filter((network) => !network.testnet && !find(network.coin));
  discovery.value = { done: 0, of: waiting.length, found: [], unknown: [] };
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
        const held = await holds(next);
        note(({ found }) => (held ? { found: [...found, network] } : {}));
      } catch {
        note(({ unknown }) => ({ unknown: [...unknown, network] }));
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  await refresh();
}
