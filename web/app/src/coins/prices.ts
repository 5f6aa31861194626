/**
 * Prices of coins. The node requests all prices at once from a price service and caches
 * the answer for a minute. A coin without a known price has no value rather than 0.
 */

import { computed, effect, signal, untracked } from "@preact/signals";
import { recall, remember } from "../memory.ts";
import { connection, online, rpc } from "../node.ts";
import { fiat, withPrices } from "../privacy.ts";
import { isLightning } from "./catalog.ts";
import { entryOf, loadDirectory } from "./directory.ts";
import { activeTickers, find, holdings, returning, total, type Balance } from "./holdings.ts";
import { lastKnown } from "./lastknown.ts";

export interface Price {
  /** A decimal text in the currency. */
  price: string;
  /** In percent. */
  change_24h?: string;
  /** Seconds since 1970. */
  time?: number;
}

interface Known {
  currency: string;
  /** The host of the price service; "" if none was requested. */
  host: string;
  prices: Readonly<Record<string, Price>>;
  /** The coins whose prices were requested; undefined: stored prices. */
  coins?: readonly string[];
  /** When old prices were received, in ms since 1970; undefined for current prices. */
  at?: number;
}

const KEPT = "lastprices"; // stored in this browser, for starts without a network

/** Returns the stored prices if they are in the given currency. */
function cached(currency: string): Known | null {
  try {
    const last = JSON.parse(recall(KEPT) ?? "null") as Known | null;
    return last?.currency === currency && typeof last.at === "number" && typeof last.prices === "object" ? last : null;
  } catch {
    return null;
  }
}

/** The last answer; null before the first. */
export const prices = signal<Known | null>(null);

/** Whether the last request failed; older prices stay. */
export const pricesFailed = signal(false);

const LOOK = 60_000; // ms between requests
const OLD = 15 * LOOK; // ms after which prices are not current

/** When the last answer was received, in ms since 1970. */
let received = 0;

const isOld = () => Date.now() - received > OLD;

/** Makes current prices old ones if they could not be refreshed. */
function expire() {
  const now = prices.peek();
  if (now && !now.at && isOld()) {
    prices.value = { ...now, at: received };
  }
}

// The page can be newer than its node, which then has no such method and no prices.
const call = rpc as (method: string, params: object) => Promise<unknown>;

const idsOf = (tickers: readonly string[]) => Object.fromEntries(tickers.flatMap((ticker) => ((id) => (id ? [[ticker, id]] : []))(entryOf(ticker)?.coingecko)));

let turn = 0;

async function look(coins: readonly string[]): Promise<void> {
  const mine = ++turn;
  const currency = fiat.peek();
  try {
    await loadDirectory().catch(() => null); // the ids that the node knows are enough for most coins
    const answer = (await call("get_prices", { coins, fiat: currency, ids: idsOf(coins) })) as { host?: string; prices?: Record<string, Price> };
    if (mine === turn) {
      const known = { currency, host: answer.host ?? "", prices: answer.prices ?? {} };
      received = Date.now(); // first, since views are computed when prices change
      prices.value = { ...known, coins };
      pricesFailed.value = false;
      remember(KEPT, JSON.stringify({ ...known, at: received }));
    }
  } catch {
    if (mine === turn) {
      pricesFailed.value = true;
      prices.value ??= cached(currency);
    }
  }
}

const wanted = computed(() => activeTickers.value.split(" ").filter((ticker) => !isLightning(ticker)).join(" "));

/** Refreshes the prices of the wallet's coins while the page is visible, and loads the directory with their names. It returns a function that stops this. */
export function followPrices(): () => void {
  void loadDirectory().catch(() => {}); // without the directory, names and logos follow from the tickers
  let timer: ReturnType<typeof setInterval> | undefined;
  const ask = () => {
    expire();
    const coins = wanted.peek();
    if (coins !== "" && online.peek() && document.visibilityState === "visible") {
      void look(coins.split(" "));
    }
  };
  const end = effect(() => {
    clearInterval(timer);
    const is = connection.value && withPrices.get() && wanted.value !== "" && fiat.value;
    if (is) {
      untracked(ask);
      timer = setInterval(ask, LOOK);
    }
  });
  document.addEventListener("visibilitychange", ask);
  return () => {
    end();
    clearInterval(timer);
    document.removeEventListener("visibilitychange", ask);
  };
}

// Prices are reset when the node or the currency changes.
effect(() => {
  connection.value;
  fiat.value;
  withPrices.get();
  turn++;
  prices.value = null;
  pricesFailed.value = false;
});

// Without a network, nothing is requested and the stored prices are used at once.
effect(() => {
  if (!online.value && withPrices.get() && prices.value === null) {
    prices.value = cached(fiat.value);
  }
});

/** Reports whether the prices of any of the coins are still being loaded. */
export const arePricesComing = (tickers: readonly string[]): boolean => {
  const { value } = prices;
  return value === null ? !pricesFailed.value : value.coins !== undefined && tickers.some((ticker) => !isLightning(ticker) && !value.coins?.includes(ticker));
};

/** Returns the last known price, which views that display its time use. An old one has no change in the last 24 hours. */
export function lastPriceOf(ticker: string): Price | undefined {
  const { at, prices: known } = prices.value ?? {};
  const last = known?.[ticker];
  return last && at ? { price: last.price, time: last.time ?? at / 1000 } : last;
}

/** Returns the current price; undefined if not known. It depends on no timer, which may be late. */
export const priceOf = (ticker: string): Price | undefined => (prices.value?.at || isOld() ? undefined : lastPriceOf(ticker));

/**
 * Returns the value of an amount at a price; null if not known. Values are only displayed and never sent anywhere, so floating point
 * is precise enough.
 */
const times = (amount: string, price: Price | undefined): number | null => (price ? Number(amount) * Number(price.price) : null);

/** Returns the value of an amount at the current price; null if not known. */
export const valueOf = (ticker: string, amount: string): number | null => times(amount, priceOf(ticker));

/** Returns the value of an amount at the last known price; null if not known. */
export const lastValueOf = (ticker: string, amount: string): number | null => times(amount, lastPriceOf(ticker));

/** Returns the value of a holding at the last known price; null if not known. Old prices are multiplied by the stored balance if the balance is not known. */
export function worth({ ticker, balance = null }: { ticker: string; balance?: Balance | null }): number | null {
  const amount = balance ? total(balance) : prices.value?.at ? lastKnown(ticker)?.amount : undefined;
  return amount === undefined ? null : lastValueOf(ticker, amount);
}

/** The total value of everything with a price, and its relative change in 24 hours; null if nothing has a price. */
export const sum = computed(() => {
  let [now, before, known] = [0, 0, false];
  const coming = returning.value.filter((ticker) => !find(ticker)).map((ticker) => ({ ticker }));
  for (const holding of [...(holdings.value ?? []), ...coming]) {
    const value = worth(holding);
    if (value !== null) {
      known = true;
      now += value;
      before += value / (1 + Number(priceOf(holding.ticker)?.change_24h ?? "0") / 100);
    }
  }
  return known ? { value: now, change: before > 0 ? now / before - 1 : 0 } : null;
});

/** Returns the price of a coin at a time in seconds since 1970; null if not known. */
export async function priceAt(coin: string, time: number): Promise<{ price: string; currency: string } | null> {
  if (time === 0 || !withPrices.peek()) {
    return null;
  }
  const currency = fiat.peek();
  try {
    const { points } = (await call("get_prices_at", { points: [{ coin, time }], fiat: currency, ids: idsOf([coin]) })) as { points: { price?: string }[] };
    const price = points[0]?.price;
    return price === undefined ? null : { price, currency };
  } catch {
    return null; // the view leaves it out
  }
}
