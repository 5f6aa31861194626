/**
 * The balances that this browser saw last: what is shown of a coin until one of its servers
 * answers, which without a network none does. They are no secret, as little as the list of coins.
 */

import { effect } from "@preact/signals";
import { recall, remember } from "../memory.ts";
import { holdings, total } from "./holdings.ts";
import { whose } from "./remembered.ts";

interface Seen {
  /** All that was held. */
  amount: string;
  /** Milliseconds since 1970. */
  at: number;
}

const name = () => `balances.${whose()}`;

const isSeen = (value: unknown): value is Seen => typeof (value as Seen | null)?.amount === "string" && typeof (value as Seen).at === "number";

function read(): Record<string, Seen> {
  try {
    const all: unknown = JSON.parse(recall(name()) ?? "{}");
    return Object.fromEntries(Object.entries(all ?? {}).filter(([, value]) => isSeen(value)));
  } catch {
    return {};
  }
}

/** What was held of a coin when that was last known. */
export const lastKnown = (ticker: string): Seen | undefined => read()[ticker];

effect(() => {
  const known = (holdings.value ?? []).flatMap(({ ticker, balance, error }) => (balance && !error ? [[ticker, { amount: total(balance), at: Date.now() }] as const] : []));
  if (known.length > 0) {
    remember(name(), JSON.stringify({ ...read(), ...Object.fromEntries(known) }));
  }
});
