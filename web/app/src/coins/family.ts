/** The chain family of a coin, which decides how it is activated and what can be done with it. */

import { chainOf, platformOf, type Family } from "./catalog.ts";
import { find } from "./holdings.ts";
import { settingsOf } from "./remembered.ts";

/** Returns the family of a coin or token. For one that only the node knows, it follows from its activation or its address. */
export function familyOf(ticker: string): Family {
  const known = chainOf(ticker)?.family ?? settingsOf(platformOf(ticker) ?? ticker)?.family;
  return known ?? (find(ticker)?.address.startsWith("0x") ? "evm" : "cosmos");
}

export const isEvm = (ticker: string): boolean => familyOf(ticker) === "evm";
