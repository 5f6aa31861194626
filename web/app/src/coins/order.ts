/**
 * The order of the coins on the start view: the most valuable first, and those with nothing as in the directory. Until all values are known, which takes a
 * moment after each start, the coins stand as they stood last, so that no row moves while it is read.
 */

import { recall, remember } from "../memory.ts";
import { withPrices } from "../privacy.ts";
import { isNftNetwork } from "./catalog.ts";
import { directoryOrder } from "./directory.ts";
import { find, holdings, returning, total, type Balance, type Holding } from "./holdings.ts";
import { lastKnown } from "./lastknown.ts";
import { prices, pricesFailed, worth } from "./prices.ts";
import { whose } from "./remembered.ts";

export interface Line {
  ticker: string;
  /** null: the node is bringing it back. */
  holding: Holding | null;
  /** What it is worth; null: not known. */
  value: number | null;
}

const name = () => `order.${whose()}`;

/** The tickers as they stood last. */
export const lastOrder = (): string[] => (recall(name()) ?? "").split(" ").filter(Boolean);

/** Whether no value is still to come. */
const allKnown = (): boolean => returning.value.length === 0 && (holdings.value ?? []).every(({ balance, error }) => balance || error) && (!withPrices.get() || prices.value !== null || pricesFailed.value);

const isZero = (holding: Holding | null | undefined): boolean => Boolean(holding?.balance) && total(holding?.balance as Balance) === "0";

/** Whether no coin of the wallet holds anything, by what is known now or was before. */
export const isUnfunded = (): boolean =>
  [...new Set([...lastOrder(), ...(holdings.value ?? []).map(({ ticker }) => ticker)])].every((ticker) => {
    const holding = find(ticker);
    return holding?.balance ? isZero(holding) : (lastKnown(ticker)?.amount ?? "0") === "0";
  });

/** All coins that are active or coming back, in their order. */
export function lines(): readonly Line[] {
  const all: Line[] = [
    ...(holdings.value ?? []).map((holding) => ({ ticker: holding.ticker, holding, value: worth(holding) })),
    ...returning.value.filter((ticker) => !isNftNetwork(ticker) && !holdings.value?.some((holding) => holding.ticker === ticker)).map((ticker) => ({ ticker, holding: null, value: worth({ ticker }) })),
  ];
  const last = lastOrder();
  const place = ({ ticker }: Line) => (last.includes(ticker) ? last.indexOf(ticker) : last.length);
  if (!allKnown() || pricesFailed.value) {
    return all.sort((a, b) => place(a) - place(b));
  }
  const rank = directoryOrder();
  all.sort((a, b) => Number(isZero(a.holding)) - Number(isZero(b.holding)) || (b.value ?? -1) - (a.value ?? -1) || (isZero(a.holding) ? rank(a.ticker) - rank(b.ticker) : 0));
  if (all.length > 0) {
    remember(name(), all.map(({ ticker }) => ticker).join(" "));
  }
  return all;
}
