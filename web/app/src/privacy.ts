/** What this page may ask others for. Each is a switch of the user's in the settings. */

import { signal } from "@preact/signals";
import { recall, remember } from "./memory.ts";

/** A setting that is on or off, kept in this browser. */
function choice(name: string, first: boolean) {
  const kept = recall(name);
  const value = signal(kept === null ? first : kept === "on");
  return {
    get: () => value.value,
    peek: () => value.peek(),
    set: (on: boolean) => {
      value.value = on;
      remember(name, on ? "on" : "off");
    },
  };
}

/** New wallets use the public servers of the usual coins. */
export const publicServers = choice("publicservers", true);

/** Prices are asked for. */
export const withPrices = choice("prices", true);

/** Amounts are shown as dots. */
export const hideAmounts = choice("hideamounts", false);

/** Coins worth next to nothing are left out of the list. */
export const hideSmall = choice("hidesmall", false);
/** A balance that is worth less is small, in the currency. */
export const SMALL = 1;

/** The currency in which values are shown. */
export const fiat = signal(recall("fiat") ?? "usd");
export function setFiat(currency: string) {
  fiat.value = currency;
  remember("fiat", currency);
}
