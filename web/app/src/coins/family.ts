/** To which kind of chain a coin belongs: that decides how it is activated, and what can be done with it. */

import { chainOf, platformOf, type Family } from "./catalog.ts";
import { find } from "./holdings.ts";
import { settingsOf } from "./remembered.ts";

/** The family of a coin or a token. One that the node alone knows is told by how it was activated, or by its address. */
export function familyOf(ticker: string): Family {
  const known = chainOf(ticker)?.family ?? settingsOf(platformOf(ticker) ?? ticker)?.family;
  return known ?? (find(ticker)?.address.startsWith("0x") ? "evm" : "cosmos");
}

export const isEvm = (ticker: string): boolean => familyOf(ticker) === "evm";
