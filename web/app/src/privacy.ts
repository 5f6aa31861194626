/** What this page may request from others. Each is a switch in the settings. */

import { signal } from "@preact/signals";
import { recall, remember } from "./memory.ts";

/** Returns a setting that is on or off, stored in this browser. */
function choice(name: string, first: boolean) {
  const saved = recall(name);
  const value = signal(saved === null ? first : saved === "on");
  return {
    get: () => value.value,
    peek: () => value.peek(),
    set: (on: boolean) => {
      value.value = on;
      remember(name, on ? "on" : "off");
    },
  };
}

/** Whether new wallets use the public servers of the default coins. */
export const publicServers = choice("publicservers", true);

/** Whether prices are requested. */
export const withPrices = choice("prices", true);

/** Whether amounts are displayed as dots. */
export const hideAmounts = choice("hideamounts", false);

/** Whether coins with very small values are left out of the list. */
export const hideSmall = choice("hidesmall", false);
/** Balances with a lower value are small, in the currency. */
export const SMALL = 1;

/** The currency of values. */
export const fiat = signal(recall("fiat") ?? "usd");
export function setFiat(currency: string) {
  fiat.value = currency;
  remember("fiat", currency);
}
