/**
 * The order of the coins on the start view: the most valuable first, and those with nothing as in the directory. Until all values are known, which takes a
 * moment after each start, the coins stand as they stood last, so that no row moves while it is read.
 */

import { recalled, remember } from "../memory.ts";
import { withPrices } from "../privacy.ts";
import { isLightning, isNftNetwork } from "./catalog.ts";
import { directoryOrder } from "./directory.ts";
import { find, holdings, returning, total, wanted, type Balance, type Holding } from "./holdings.ts";
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
export const lastOrder = (): readonly string[] => recalled(name(), (text) => (text ?? "").split(" ").filter(Boolean));

/** Whether no value is still to come. */
const allKnown = (): boolean => returning.value.length === 0 && (holdings.value ?? []).every(({ balance, error }) => balance || error) && (!withPrices.get() || prices.value !== null || pricesFailed.value);

const isZero = (holding: Holding | null | undefined): boolean => Boolean(holding?.balance) && total(holding?.balance as Balance) === "0";

/**
 * Whether every coin of the wallet is known to hold nothing: each one's balance was read, now or before, and no network is left out.
 */
export const isUnfunded = (): boolean => {
  const all = [...new Set([...lastOrder(), ...(holdings.value ?? []).map(({ ticker }) => ticker), ...returning.value])].filter((ticker) => !isNftNetwork(ticker) && !isLightning(ticker));
  return (
    holdings.value !== null &&
    wanted.value.length === 0 &&
    all.every((ticker) => {
      const holding = find(ticker);
      return holding?.balance ? isZero(holding) : lastKnown(ticker)?.amount === "0";
    })
  );
};

/** All coins that are active or coming back, in their order. */
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
  const empty = new Set(all.filter(({ holding }) => isZero(holding)));
  all.sort((a, b) => Number(empty.has(a)) - Number(empty.has(b)) || (b.value ?? -1) - (a.value ?? -1) || (empty.has(a) ? rank(a.ticker) - rank(b.ticker) : 0));
  if (all.length > 0) {
    const order = all.map(({ ticker }) => ticker);
    if (order.some((ticker, at) => last.get(ticker) !== at)) {
      remember(name(), order.join(" "));
    }
  }
  return all;
}
