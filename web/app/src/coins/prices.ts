/**
 * What coins are worth. The node asks a price service for all of them at once, and keeps
 * the answer for a minute. A coin whose price is not known has no value here, rather than 0.
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
  /** In the currency, a decimal text. */
  price: string;
  /** In percent. */
  change_24h?: string;
  /** Seconds since 1970. */
  time?: number;
}

interface Known {
  currency: string;
  /** The host that was asked; "" if none was. */
  host: string;
  prices: Readonly<Record<string, Price>>;
  /** The coins whose prices were requested; undefined: stored prices. */
  coins?: readonly string[];
  /** Of prices that are shown since no newer ones came: when they came, in ms since 1970. */
  at?: number;
}

const KEPT = "lastprices"; // in this browser, for a start without a network

/** The last prices that this browser had, if they are in a currency. */
function kept(currency: string): Known | null {
  try {
    const last = JSON.parse(recall(KEPT) ?? "null") as Known | null;
    return last?.currency === currency && typeof last.at === "number" && typeof last.prices === "object" ? last : null;
  } catch {
    return null;
  }
}

/** The last answer; null: not asked yet. */
export const prices = signal<Known | null>(null);

/** Whether the last look failed; older prices stay. */
export const pricesFailed = signal(false);

const LOOK = 60_000; // ms between looks

// A page can be newer than its node, which then has no such method: it has no prices.
const call = rpc as (method: string, params: object) => Promise<unknown>;

const idsOf = (tickers: readonly string[]) => Object.fromEntries(tickers.flatMap((ticker) => ((id) => (id ? [[ticker, id]] : []))(entryOf(ticker)?.coingecko)));

let turn = 0;

async function look(coins: readonly string[]): Promise<void> {
  const mine = ++turn;
  const currency = fiat.peek();
  try {
    await loadDirectory().catch(() => null); // ids that the node knows itself are enough for most
    const answer = (await call("get_prices", { coins, fiat: currency, ids: idsOf(coins) })) as { host?: string; prices?: Record<string, Price> };
    if (mine === turn) {
      const known = { currency, host: answer.host ?? "", prices: answer.prices ?? {} };
      prices.value = { ...known, coins };
      pricesFailed.value = false;
      remember(KEPT, JSON.stringify({ ...known, at: Date.now() }));
    }
  } catch {
    if (mine === turn) {
      pricesFailed.value = true;
      prices.value ??= kept(currency);
    }
  }
}

const wanted = computed(() => activeTickers.value.split(" ").filter((ticker) => !isLightning(ticker)).join(" "));

/** Keeps the prices of what is held fresh while somebody looks, and loads the directory with its names. Gives what ends it. */
export function followPrices(): () => void {
  void loadDirectory().catch(() => {}); // names and logos then are the tickers'
  let timer: ReturnType<typeof setInterval> | undefined;
  const ask = () => {
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

// Prices of one node's coins are not those of another's, nor those of another currency.
effect(() => {
  connection.value;
  fiat.value;
  withPrices.get();
  turn++;
  prices.value = null;
  pricesFailed.value = false;
});

// Without a network nothing is asked, and the last prices are shown at once.
effect(() => {
  if (!online.value && withPrices.get() && prices.value === null) {
    prices.value = kept(fiat.value);
  }
});

/** Reports whether an answer of the price service is still to come for any of the coins. */
export const arePricesComing = (tickers: readonly string[]): boolean => {
  const { value } = prices;
  return value === null ? !pricesFailed.value : value.coins !== undefined && tickers.some((ticker) => !isLightning(ticker) && !value.coins?.includes(ticker));
};

export const priceOf = (ticker: string): Price | undefined => prices.value?.prices[ticker];

/**
 * What an amount is worth; null: not known. A value is for the eye and never sent anywhere, so that floating point
 * does.
 */
export function valueOf(ticker: string, amount: string): number | null {
  const price = priceOf(ticker)?.price;
  return price === undefined ? null : Number(amount) * Number(price);
}

/** What a holding is worth; null: not known. Beside prices of before, that is the balance of before. */
export function worth({ ticker, balance = null }: { ticker: string; balance?: Balance | null }): number | null {
  const amount = balance ? total(balance) : prices.value?.at ? lastKnown(ticker)?.amount : undefined;
  return amount === undefined ? null : valueOf(ticker, amount);
}

/** The sum of all that has a price, and its change in 24 hours as a part of what it was; null: nothing has one. */
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

/** The price of a coin at a time, in seconds since 1970; null: not known. */
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
    return null; // it is shown without
  }
}
