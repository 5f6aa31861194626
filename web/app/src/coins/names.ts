/** One name for each coin and one for its network, in all views. */

import { isLightning, isNftNetwork, nameOf, lightningNetwork, platformOf, chainOf } from "./catalog.ts";
import { entryOf, networkEntry } from "./directory.ts";

/** Returns the symbol for amounts: USDC rather than USDC-ERC20. */
export const symbolOf = (ticker: string): string => entryOf(ticker)?.symbol ?? (platformOf(ticker) === null || isNftNetwork(ticker) ? ticker : ticker.replace(/-[^-]+$/, ""));

/** Returns the name of a coin: "USD Coin". */
export const coinName = (ticker: string): string => entryOf(ticker)?.name ?? nameOf(ticker);

/** Returns the name of a coin's network: "Ethereum". */
export const networkName = (ticker: string): string => (isLightning(ticker) ? lightningNetwork(ticker) : (networkEntry(ticker)?.network ?? chainOf(ticker)?.name ?? platformOf(ticker) ?? ticker));

/** Returns a coin and its network: "USDC · Ethereum". A name equal to the adjacent text is left out: "Polygon" next to "POL". */
export const fullName = (ticker: string, except?: string): string => [...new Set([symbolOf(ticker), networkName(ticker)])].filter((name) => name !== except).join(" · ");
