/**
 * The last balances that this browser has seen. They are displayed until a server responds,
 * or while there is no network. They are not secret, like the list of coins.
 */

import { effect } from "@preact/signals";
import { recalled, remember } from "../memory.ts";
import { holdings, total } from "./holdings.ts";
import { whose } from "./remembered.ts";

interface Seen {
  /** The total balance. */
  amount: string;
  /** The wallet's address. */
  address?: string;
  /** Milliseconds since 1970. */
  at: number;
}

const name = () => `balances.${whose()}`;

const isSeen = (value: unknown): value is Seen => typeof (value as Seen | null)?.amount === "string" && typeof (value as Seen).at === "number";

type All = ReadonlyMap<string, Seen>;

function parse(text: string | null): All {
  try {
    const all: unknown = JSON.parse(text ?? "{}");
    return new Map(Object.entries(all ?? {}).filter(([, value]) => isSeen(value)));
  } catch {
    return new Map();
  }
}

const read = (): All => recalled(name(), parse);

/** Returns the last known balance of a coin. */
export const lastKnown = (ticker: string): Seen | undefined => read().get(ticker);

const PAUSE = 1000; // ms between saves

let saved = 0;
let saving: ReturnType<typeof setTimeout> | undefined;

function save() {
  clearTimeout(saving);
  const at = Date.now();
  const known = (holdings.peek() ?? []).flatMap(({ ticker, address, balance, error }) => (balance && !error ? [[ticker, { amount: total(balance), address, at }] as const] : []));
  if (known.length > 0) {
    saved = at;
    remember(name(), JSON.stringify(Object.fromEntries([...read(), ...known])));
  }
}

addEventListener("pagehide", save); // the page may be closed before the pause ends

effect(() => {
  clearTimeout(saving);
  if (holdings.value) {
    saving = setTimeout(save, Math.max(0, saved + PAUSE - Date.now()));
  }
});
