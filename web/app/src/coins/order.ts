/**
 * The order of the coins on Home: the most valuable first, then those with no value in the order of the directory. Until all values are known, shortly
 * after each start, the coins stay in their last order, so that no row moves while it is read.
 */

import { recalled, remember } from "../memory.ts";
import { withPrices } from "../privacy.ts";
import { isLightning, isNftNetwork } from "./catalog.ts";
import { directoryOrder } from "./directory.ts";
import { find, holdings, returning, total, wanted, type Holding } from "./holdings.ts";
import { lastKnown } from "./lastknown.ts";
import { arePricesComing, lastValueOf, pricesFailed, worth } from "./prices.ts";
import { whose } from "./remembered.ts";

export interface Line {
  ticker: string;
  /** null while the node is restoring it. */
  holding: Holding | null;
  /** Its value; null if not known. */
  value: number | null;
}

const name = () => `order.${whose()}`;

/** The last order of the tickers. */
export const lastOrder = (): readonly string[] => recalled(name(), (text) => (text ?? "").split(" ").filter(Boolean));

/** Reports whether all values are known. */
const allKnown = (): boolean => {
  const all = holdings.value ?? [];
  return returning.value.length === 0 && all.every(({ balance, error }) => balance || error) && !(withPrices.get() && arePricesComing(all.map(({ ticker }) => ticker)));
};

/** Returns the balance of a coin, or the last known balance while its servers do not respond. */
const amountOf = (ticker: string): string | undefined => {
  const balance = find(ticker)?.balance;
  return balance ? total(balance) : lastKnown(ticker)?.amount;
};

/**
 * Reports whether every coin of the wallet is known to be empty: each balance was read, now or before, and no network is left out.
 */
export const isUnfunded = (): boolean => {
  const all = [...new Set([...lastOrder(), ...(holdings.value ?? []).map(({ ticker }) => ticker), ...returning.value])].filter((ticker) => !isNftNetwork(ticker) && !isLightning(ticker));
  return (
    holdings.value !== null &&
    wanted.value.length === 0 &&
    all.every((ticker) => amountOf(ticker) === "0")
  );
};

/** Returns all coins that are active or being restored, in display order. */
export function lines(): readonly Line[] {
  const all: Line[] = [
    ...(holdings.value ?? []).map((holding) => ({ ticker: holding.ticker, holding, value: worth(holding) })),
    ...returning.value.filter((ticker) => !isNftNetwork(ticker) && !find(ticker)).map((ticker) => ({ ticker, holding: null, value: worth({ ticker }) })),
  ];
  const last = new Map(lastOrder().map((ticker, at) => [ticker, at]));
  const place = ({ ticker }: Line) => last.get(ticker) ?? last.size;
  if (!allKnown() || pricesFailed.value) {
    return all.sort((a, b) => place(a) - place(b));
  }
  const rank = directoryOrder();
  const amounts = new Map(all.map((line) => [line, amountOf(line.ticker)]));
  const isEmpty = (line: Line) => amounts.get(line) === "0";
  const values = new Map([...amounts].map(([line, amount]) => [line, amount === undefined ? null : lastValueOf(line.ticker, amount)]));
  const value = (line: Line) => values.get(line) ?? -1;
  all.sort((a, b) => Number(isEmpty(a)) - Number(isEmpty(b)) || value(b) - value(a) || (isEmpty(a) ? rank(a.ticker) - rank(b.ticker) : 0));
  if (all.length > 0) {
    const order = all.map(({ ticker }) => ticker);
    if (order.some((ticker, at) => last.get(ticker) !== at)) {
      remember(name(), order.join(" "));
    }
  }
  return all;
}
