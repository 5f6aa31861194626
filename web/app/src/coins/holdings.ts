/**
 * The active coins and their balances. The balances are read once; after that the node
 * reports changes by events. Coins without events are polled. This starts with the first
 * view of coins and continues in all others.
 */

import { computed, effect, signal, untracked } from "@preact/signals";
import type { NodeEvent } from "obverse";
import { badAnswer } from "../bounded.ts";
import { t } from "../language.ts";
import { written } from "../money.ts";
import { add, isDecimal } from "../decimal.ts";
import { connection, online, state, type Connection } from "../node.ts";
import { hideAmounts } from "../privacy.ts";
import { openStream } from "../streams.ts";
import { announce } from "../ui/announce.tsx";
import { toast } from "../ui/toast.tsx";
import { isLightning, isNftNetwork, platformOf } from "./catalog.ts";
import { noteActive, remembered } from "./remembered.ts";

export interface Balance {
  spendable: string;
  unspendable: string;
}

export interface Holding {
  ticker: string;
  /** Of a token whose chain's coin is active too: the ticker of that coin. */
  platform: string | null;
  /** "" and null if not known yet. */
  address: string;
  balance: Balance | null;
  /** The error of the last balance request; the balance may be out of date. */
  error: unknown;
}

/** In order of activation, tokens after their chain's coin; null if not known yet. */
export const holdings = signal<readonly Holding[] | null>(null);

/** The tickers of active NFT networks: NFT_MATIC. */
export const nftNetworks = signal<readonly string[]>([]);

/** Coins that are being activated in the background or failed to activate. */
export const wanted = signal<readonly string[]>([]);

/** Returns the coins of the wallet that are not active because no server has responded yet. */
export const coming = (): readonly string[] => [...new Set([...returning.value, ...wanted.value])].filter((ticker) => !isNftNetwork(ticker) && !find(ticker));

/** The error of the last attempt to list the active coins. */
export const failure = signal<unknown>(null);

/** Coins that the user had activated and that the node is still restoring after a restart. */
export const returning = signal<readonly string[]>([]);

/** Number of active coins that holdings leaves out: it has at most MAX_COINS. */
export const beyond = signal(0);

const byTicker = computed(() => new Map(holdings.value?.map((holding) => [holding.ticker, holding])));

export const find = (ticker: string): Holding | undefined => byTicker.value.get(ticker);

/** Returns the addresses of all active coins. */
export const walletAddresses = (): string[] => [...new Set((holdings.value ?? []).map(({ address }) => address).filter(Boolean))];

/** Returns the total balance, spendable and unspendable. */
export const total = ({ spendable, unspendable }: Balance): string => add(spendable, unspendable);

/** The active tickers in the order of activation. It changes less often than the balances. */
export const activeTickers = computed(() => (holdings.value ?? []).map(({ ticker }) => ticker).join(" "));

const LOOK = 30_000; // ms between requests for balances that have no events
const RETURN = [1000, 2000, 4000, 8000, 15_000]; // ms between checks for coins that are being restored
const PATIENCE = 12; // checks for a coin that may not come back
const MAX_COINS = 2000; // coins
const STREAMS = 100; // coins with balance events; the others are polled
const AT_ONCE = 8; // concurrent balance requests
const FRAME = 16; // ms over which updates are collected

const isTicker = (value: unknown): value is string => typeof value === "string" && /^\S{1,64}$/.test(value);

const isBalanceOf = (value: unknown): value is Balance => {
  const { spendable, unspendable } = (value ?? {}) as Partial<Balance>;
  return typeof spendable === "string" && typeof unspendable === "string" && isDecimal(spendable) && isDecimal(unspendable);
};

/** New data about a coin. */
interface Update {
  news: Partial<Holding>;
  /** Whether to announce a change of the balance. */
  heard: boolean;
}

let watcher: Watcher | null = null;

/** Refreshes the list of active coins at once. */
export const refresh = async (): Promise<void> => watcher?.look();

/** Refreshes the balances of a coin and its tokens at once, after an operation that changed them. */
export const again = (ticker: string): void => watcher?.again(ticker);

/** Refreshes the balance of a coin at once, and of the coin that pays its fees: the user is about to spend them. */
export const renew = (ticker: string): void => watcher?.ask(...new Set([ticker, platformOf(ticker) ?? ticker]));

/** A coin that may become active later: the node may finish an interrupted activation. */
export const expected = signal<string | null>(null);

/** Watches the balances of one node. */
class Watcher {
  #over = false;
  /** By ticker: the function that closes a stream, null while it is being opened. */
  #streams = new Map<string, (() => void) | null>();
  #timers = new Set<ReturnType<typeof setTimeout>>();
  #ends: (() => void)[] = [];
  #looks = 0;
  #looking: Promise<void> = Promise.resolve();
  /** By ticker: the number of balance events. */
  #events = new Map<string, number>();
  /** Updates to apply with the next frame, by ticker. */
  #updates = new Map<string, Update>();
  #frame: ReturnType<typeof setTimeout> | undefined;
  /** The queue of balance requests by ticker, and whether to announce a change. */
  #waiting = new Map<string, boolean>();
  #asking = 0;

  constructor(readonly node: Connection) {
    this.#ends.push(node.subscribe("*", (event) => this.#hear(event)));
    const refreshVisible = () => document.visibilityState === "visible" && void this.look();
    document.addEventListener("visibilitychange", refreshVisible);
    addEventListener("storage", refreshVisible);
    const poll = setInterval(() => this.#poll(), LOOK);
    this.#ends.push(
      () => document.removeEventListener("visibilitychange", refreshVisible),
      () => removeEventListener("storage", refreshVisible),
      () => clearInterval(poll),
    );
    let lost = false;
    this.#ends.push(
      effect(() => {
        const was = lost;
        lost = state.value.is === "lost";
        if (was && !lost) {
          untracked(() => void this.look());
        }
      }),
    );
    void this.look();
  }

  end() {
    this.#over = true;
    this.#ends.forEach((end) => end());
    this.#timers.forEach(clearTimeout);
    clearTimeout(this.#frame);
  }

  /** Lists the active coins and requests the balances of new ones. On failure, a later call tries again. */
  async look(): Promise<void> {
    this.#looking = this.#lookOnce(++this.#looks);
    let last;
    do {
      last = this.#looking;
      await last;
    } while (last !== this.#looking);
  }

  async #lookOnce(turn: number): Promise<void> {
    try {
      const { coins } = (await this.node.rpc("get_enabled_coins")) ?? {};
      if (this.#over || turn !== this.#looks) {
        return;
      }
      if (!Array.isArray(coins)) {
        throw badAnswer("get_enabled_coins");
      }
      const tickers = [...new Set(coins.map((coin) => coin?.ticker as unknown).filter(isTicker))];
      failure.value = null;
      beyond.value = Math.max(0, tickers.length - MAX_COINS);
      this.#take(tickers.slice(0, MAX_COINS));
    } catch (error) {
      if (!this.#over && turn === this.#looks) {
        failure.value = error;
        this.#later(LOOK);
      }
    }
  }

  #take(active: string[]) {
    this.#show();
    const all = new Set(active);
    const known = byTicker.peek();
    const platform = (ticker: string) => {
      const of = platformOf(ticker);
      return of !== null && all.has(of) ? of : null;
    };
    nftNetworks.value = active.filter(isNftNetwork);
    const list: Holding[] = active.filter((ticker) => !isNftNetwork(ticker)).map((ticker) => ({ address: "", balance: null, error: null, ...known.get(ticker), ticker, platform: platform(ticker) }));
    const families = new Map(list.filter((holding) => holding.platform === null).map((holding) => [holding.ticker, [holding]]));
    list.forEach((holding) => holding.platform !== null && families.get(holding.platform)?.push(holding));
    holdings.value = [...families.values()].flat();
    if (all.has(expected.peek() ?? "")) {
      expected.value = null;
    }
    if (this.node.kind === "page") {
      noteActive(active.filter((ticker) => !isLightning(ticker))); // a native node has other users, who may disable coins
    }
    const missing = beyond.peek() > 0 ? [] : remembered().filter(({ ticker, active: wanted }) => wanted && !all.has(ticker));
    returning.value = missing.map(({ ticker }) => ticker);
    if (missing.length > 0 || (expected.peek() !== null && this.#looks < PATIENCE)) {
      this.#later(RETURN[Math.min(this.#looks, RETURN.length) - 1] ?? LOOK);
    }
    for (const { ticker, platform: of, balance } of holdings.value) {
      if (of === null && !this.#streams.has(ticker) && !isLightning(ticker) && this.#streams.size < STREAMS) {
        void this.#listen(ticker);
      }
      if (balance === null) {
        this.#ask(ticker);
      }
    }
    for (const [ticker, end] of this.#streams) {
      if (end && !families.has(ticker)) {
        this.#streams.delete(ticker);
        end();
      }
    }
  }

  #later(wait: number) {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      void this.look();
    }, wait);
    this.#timers.add(timer);
  }

  /** Subscribes to balance events of a coin and its tokens, then requests the balances once in case an event was missed. */
  async #listen(ticker: string) {
    this.#streams.set(ticker, null);
    try {
      this.#streams.set(ticker, await openStream("stream::balance::enable", { coin: ticker }));
    } catch {
      this.#streams.delete(ticker); // it is polled, and the subscription is tried again
      return;
    }
    this.#family(ticker).forEach((member) => this.#ask(member, true));
  }

  again(ticker: string) {
    this.#family(platformOf(ticker) ?? ticker).forEach((member) => this.#ask(member));
  }

  /** Requests the balances of the given coins at once, if they are active. */
  ask(...tickers: string[]) {
    tickers.filter(find).forEach((ticker) => void this.#askNow(ticker, false));
  }

  #family(ticker: string): string[] {
    return (holdings.peek() ?? []).filter((holding) => holding.ticker === ticker || holding.platform === ticker).map((holding) => holding.ticker);
  }

  /**
   * Queues a balance request.
   * @param missed whether to announce a change, since its event may have been missed
   */
  #ask(ticker: string, missed = false) {
    this.#waiting.set(ticker, missed || this.#waiting.get(ticker) === true);
    if (this.#asking < AT_ONCE) {
      void this.#askAll();
    }
  }

  async #askAll() {
    this.#asking++;
    for (const [ticker, missed] of this.#waiting) {
      this.#waiting.delete(ticker);
      if (!this.#over) {
        await this.#askNow(ticker, missed);
      }
    }
    this.#asking--;
  }

  /** An answer that is older than an event is dropped. */
  async #askNow(ticker: string, missed: boolean) {
    const events = this.#events.get(ticker);
    try {
      const { balance: spendable, unspendable_balance: unspendable, address } = (await this.node.rpc("my_balance", { coin: ticker })) ?? {};
      const balance = { spendable, unspendable };
      if (typeof address !== "string" || !isBalanceOf(balance)) {
        throw badAnswer("my_balance");
      }
      const overtaken = this.#events.get(ticker) !== events;
      this.#change(ticker, { address, error: null, ...(overtaken ? {} : { balance }) }, missed && !overtaken);
    } catch (error) {
      this.#change(ticker, { error });
    }
  }

  #change(ticker: string, news: Partial<Holding>, heard = false) {
    const before = this.#updates.get(ticker);
    this.#updates.set(ticker, { news: { ...before?.news, ...news }, heard: heard || before?.heard === true });
    this.#frame ??= setTimeout(() => this.#show(), FRAME);
  }

  /** Applies the updates since the last frame and announces the changes. */
  #show() {
    const updates = this.#updates;
    clearTimeout(this.#frame);
    this.#frame = undefined;
    this.#updates = new Map();
    if (this.#over || updates.size === 0) {
      return;
    }
    const before = byTicker.peek();
    holdings.value = (holdings.peek() ?? []).map((holding) => {
      const update = updates.get(holding.ticker);
      return update ? { ...holding, ...update.news } : holding; // an unchanged object is not rendered again
    });
    say([...updates].flatMap(([ticker, { news, heard }]) => (heard && news.balance ? (changeOf(ticker, before.get(ticker)?.balance, news.balance) ?? []) : [])));
  }

  #hear(event: NodeEvent) {
    if (event._type === "ERROR:LAGGED") {
      (holdings.peek() ?? []).forEach(({ ticker }) => this.#ask(ticker, true));
    } else if (event._type === "ERROR:FORGOTTEN") {
      // The node was restarted: its coins come back one after another and have no streams yet.
      this.#streams.forEach((end) => end?.());
      this.#streams.clear();
      this.#updates.clear();
      holdings.value = (holdings.peek() ?? []).map((holding) => ({ ...holding, balance: null }));
      void this.look();
    } else if (event._type.startsWith("ERROR:BALANCE:")) {
      this.#family(event._type.slice("ERROR:BALANCE:".length)).forEach((ticker) => this.#ask(ticker));
    } else if (isBalance(event) && Array.isArray(event.message)) {
      this.#tell(event.message);
    }
  }

  #tell(message: readonly { ticker: string; balance: Balance }[]) {
    // The first address of an HD wallet is the one that is displayed.
    const own = new Map([...message].reverse().map((one) => [one?.ticker, one?.balance]));
    for (const [ticker, balance] of own) {
      if (find(ticker) && isBalanceOf(balance)) {
        this.#events.set(ticker, (this.#events.get(ticker) ?? 0) + 1);
        this.#change(ticker, { balance, error: null }, true);
      }
    }
  }

  /** Polls the balances without events and the list of active coins while the page is visible. */
  #poll() {
    if (document.visibilityState !== "visible" || !online.peek()) {
      return;
    }
    void this.look();
    for (const { ticker, platform, error } of holdings.peek() ?? []) {
      if (error || !this.#streams.has(platform ?? ticker)) {
        this.#ask(ticker);
      }
    }
  }
}

type BalanceEvent = Extract<NodeEvent, { _type: `BALANCE:${string}` }>;

const isBalance = (event: NodeEvent): event is BalanceEvent => event._type.startsWith("BALANCE:");

interface Change {
  ticker: string;
  /** A description for screen readers. */
  text: string;
  /** Whether the balance has grown. */
  more: boolean;
}

/** Announces changes. Incoming amounts are displayed as a toast too. */
function say(changes: readonly Change[]) {
  for (const { ticker, text } of changes.filter(({ more }) => more)) {
    toast(hideAmounts.get() ? t("coin.arrived", { ticker }) : text);
  }
  if (changes.length > 0) {
    announce(changes.map(({ text }) => text).join(". "));
  }
}

/** Returns the change of a balance; null if there is no change or it is not known. */
function changeOf(ticker: string, before: Balance | null | undefined, after: Balance): Change | null {
  if (!before || (before.spendable === after.spendable && before.unspendable === after.unspendable)) {
    return null;
  }
  const [was, is] = [total(before), total(after)];
  const change = add(is, was.startsWith("-") ? was.slice(1) : `-${was}`);
  const more = change !== "0" && !change.startsWith("-");
  const text = change === "0" ? t("coin.nowspendable", { ticker, amount: written(after.spendable) }) : t(more ? "coin.more" : "coin.less", { ticker, amount: written(change.replace("-", "")), now: written(is) });
  return { ticker, text, more };
}

effect(() => {
  const node = connection.value;
  untracked(() => {
    watcher?.end();
    holdings.value = null;
    nftNetworks.value = [];
    beyond.value = 0;
    failure.value = null;
    returning.value = [];
    watcher = node && new Watcher(node);
  });
});

/** Whether no coin is active, being restored or being activated. */
export const isEmpty = computed(() => holdings.value?.length === 0 && returning.value.length === 0 && wanted.value.length === 0);
