/** Merges the histories of all coins into one list. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { isLightning, platformOf } from "../../coins/catalog.ts";
import { historyOf, type Page } from "../../coins/history.ts";
import { holdings } from "../../coins/holdings.ts";
import { meaningOf, type Entry } from "../../coins/meaning.ts";
import { isCancellation, nftText, outbox, type Outgoing } from "../../coins/outbox.ts";
import { plain } from "../../coins/addresses.ts";
import { t } from "../../language.ts";
import { connection } from "../../node.ts";
import { RpcError } from "obverse";

export interface Item {
  id: string;
  coin: string;
  hash: string;
  /** A short description: "Received". */
  what: string;
  /** A decimal text; negative for outgoing amounts. */
  change: string;
  /** Seconds since 1970; 0 if not known. */
  time: number;
  pending: boolean;
  /** The counterparties. */
  others: readonly string[];
  /** The node's entry; null for a transaction that was sent from here and that no server has reported yet. */
  entry: Entry | null;
}

const SIZE = 20;
const SOON = 2000; // ms until a history that is being loaded is requested again

/** The history of each coin, as far as known; "none": the coin was activated without it, "failed": it cannot be read. */
type Known = ReadonlyMap<string, Page | "none" | "failed">;

const AT_ONCE = 8; // concurrent history requests
const FRAME = 50; // ms over which answers are collected

const has = (ticker: string): boolean => !isLightning(ticker);

/** Reads the histories again whenever turn or a balance changes. */
export function useActivity(turn: number) {
  const known = useSignal<Known>(new Map());
  const wanted = useSignal(SIZE);
  const again = useSignal(0);
  const coins = (holdings.value ?? []).map(({ ticker }) => ticker).filter(has);
  const balances = (holdings.value ?? []).map(({ balance }) => `${balance?.spendable} ${balance?.unspendable}`).join(" ");
  useEffect(() => {
    let over = false;
    const node = connection.peek();
    let came: [string, Page | "none" | "failed"][] = [];
    let frame: ReturnType<typeof setTimeout> | undefined;
    const isOver = () => over || connection.peek() !== node;
    const show = () => {
      const pages = came;
      [came, frame] = [[], undefined];
      if (!isOver()) {
        known.value = new Map([...known.peek(), ...pages]);
      }
    };
    const read = async (coin: string): Promise<Page | "none" | "failed"> => {
      try {
        return await historyOf(coin, wanted.peek());
      } catch (error) {
        return known.peek().get(coin) ?? (error instanceof RpcError && error.kind === "StorageIsNotInitialized" ? "none" : "failed");
      }
    };
    const waiting = [...coins];
    const work = async () => {
      for (let coin = waiting.shift(); coin !== undefined && !isOver(); coin = waiting.shift()) {
        came.push([coin, await read(coin)]);
        frame ??= setTimeout(show, FRAME);
      }
    };
    Array.from({ length: AT_ONCE }, work);
    return () => {
      over = true;
      clearTimeout(frame);
    };
  }, [coins.join(" "), balances, turn, wanted.value, again.value]);
  const pages = [...known.value].filter(([coin]) => coins.includes(coin));
  const loading = coins.some((coin) => !known.value.has(coin)) || pages.some(([, page]) => isLoading(page));
  useEffect(() => {
    if (!loading) {
      return undefined;
    }
    const timer = setTimeout(() => again.value++, SOON);
    return () => clearTimeout(timer);
  }, [loading, again.value]);
  const list = holdings.value === null || (coins.length > 0 && pages.length === 0) ? null : merged(pages.flatMap(([, page]) => (typeof page === "string" ? [] : page.transactions)), outbox.value);
  return {
    items: list && list.slice(0, wanted.value + list.filter((item) => item.pending).length),
    loading,
    left: (list?.length ?? 0) > wanted.value || pages.some(([, page]) => typeof page !== "string" && page.total > page.transactions.length),
    missing: pages.filter(([coin, page]) => page === "none" && platformOf(coin) === null).map(([coin]) => coin),
    /** Coins whose servers have no complete list of transactions. */
    partial: pages.filter(([, page]) => typeof page !== "string" && page.incomplete?.some(({ reason }) => reason !== "InProgress" && reason !== "NoAnswer")).map(([coin]) => coin),
    /** Whether a history could not be read, or its servers do not respond. */
    unread: pages.some(([, page]) => page === "failed" || (typeof page !== "string" && page.sync_status.state === "Error")) || (holdings.value ?? []).some(({ error }) => Boolean(error)),
    /** Number of malformed entries. */
    invalid: pages.reduce((sum, [, page]) => sum + (typeof page === "string" ? 0 : page.invalid), 0),
    more: () => void (wanted.value += SIZE),
  };
}

const isLoading = (page: Page | "none" | "failed"): boolean => typeof page !== "string" && ["NotStarted", "InProgress"].includes(page.sync_status.state);

function itemOf(entry: Entry): Item {
  const { coin, tx_hash: hash, my_balance_change: change, timestamp, confirmations, from, to } = entry;
  return { id: `${coin} ${entry.internal_id}`, coin, hash, what: meaningOf(entry), change, time: timestamp, pending: confirmations === 0, others: change.startsWith("-") ? to : from, entry };
}

function sent(one: Outgoing): Item {
  const { coin, hash, amount, to, height, time = 0, nft } = one;
  const pending = height === null;
  const cancels = isCancellation(one);
  const what = t(cancels ? (pending ? "meaning.canceling" : "meaning.canceled") : pending ? "meaning.sending" : "meaning.sent");
  return { id: `sent ${hash}`, coin, hash, what: nft ? `${what}: ${nftText(nft)}` : what, change: cancels || nft ? "0" : `-${amount}`, time, pending, others: cancels ? [] : to, entry: null };
}

/** Returns all transactions, pending ones first and then the newest. A transaction sent from here is listed until its coin's history has it. */
export function merged(entries: readonly Entry[], own: readonly Outgoing[]): Item[] {
  const known = new Set(entries.map(({ tx_hash }) => plain(tx_hash)));
  const ours = new Map(own.map((one) => [plain(one.hash), one]));
  const both = (entry: Entry): Item => {
    const [item, one] = [itemOf(entry), ours.get(plain(entry.tx_hash))];
    return { ...item, ...(one?.nft && { what: sent(one).what, others: one.to }), time: item.time || (one?.time ?? 0) };
  };
  const all = [...own.filter(({ hash }) => !known.has(plain(hash))).map(sent), ...entries.map(both)];
  return all.sort((a, b) => Number(b.pending) - Number(a.pending) || age(a) - age(b));
}

/** A transaction without a time is the newest if it is pending, otherwise the oldest. */
const age = ({ time, pending }: Item): number => (time === 0 ? (pending ? -Infinity : 0) : -time);
