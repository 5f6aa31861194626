/** One name for a coin and one for its network, wherever they are shown. */

import { isLightning, isNftNetwork, nameOf, lightningNetwork, platformOf, chainOf } from "./catalog.ts";
import { entryOf, networkEntry } from "./directory.ts";

/** What people write behind an amount: USDC, and not USDC-ERC20. */
export const symbolOf = (ticker: string): string => entryOf(ticker)?.symbol ?? (platformOf(ticker) === null || isNftNetwork(ticker) ? ticker : ticker.replace(/-[^-]+$/, ""));

/** The name of a coin: "USD Coin". */
export const coinName = (ticker: string): string => entryOf(ticker)?.name ?? nameOf(ticker);

/** The name of the network it is on: "Ethereum". */
export const networkName = (ticker: string): string => (isLightning(ticker) ? lightningNetwork(ticker) : (networkEntry(ticker)?.network ?? chainOf(ticker)?.name ?? platformOf(ticker) ?? ticker));

/** A coin and its network: "USDC · Ethereum"; without a name that stands beside it: "Polygon" beside "POL". */
export const fullName = (ticker: string, beside?: string): string => [...new Set([symbolOf(ticker), networkName(ticker)])].filter((name) => name !== beside).join(" · ");
