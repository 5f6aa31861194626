/**
 * The balances that this browser saw last: what is shown of a coin until one of its servers
 * answers, which without a network none does. They are no secret, as little as the list of coins.
 */

import { effect } from "@preact/signals";
import { recalled, remember } from "../memory.ts";
import { holdings, total } from "./holdings.ts";
import { whose } from "./remembered.ts";

interface Seen {
  /** All that was held. */
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

/** What was held of a coin when that was last known. */
export const lastKnown = (ticker: string): Seen | undefined => read().get(ticker);

const PAUSE = 1000; // ms between two times that the balances are saved

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

addEventListener("pagehide", save); // a page may be closed before the pause is over

effect(() => {
  clearTimeout(saving);
  if (holdings.value) {
    saving = setTimeout(save, Math.max(0, saved + PAUSE - Date.now()));
  }
});
