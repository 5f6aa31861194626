/**
 * The coins that are active, with their balances. They are read once, and from then on
 * the node tells of every change; a coin whose changes it cannot tell is asked every so
 * often. It begins when a view of coins is first shown and goes on in all others.
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
  /** Of a token whose chain's coin is active too: that coin's ticker. */
  platform: string | null;
  /** "" and null: not known yet. */
  address: string;
  balance: Balance | null;
  /** Why the balance could not be read the last time; what is shown may be old. */
  error: unknown;
}

/** In the order of their activation, tokens behind their chain's coin; null: not known yet. */
export const holdings = signal<readonly Holding[] | null>(null);

/** The networks of NFTs that are active, by their tickers: NFT_MATIC. */
export const nftNetworks = signal<readonly string[]>([]);

/** What else a wallet is to have: coins whose activation is under way, or failed. */
export const wanted = signal<readonly string[]>([]);

/** Coins of the wallet that are not active, since no server has answered yet. */
export const coming = (): readonly string[] => [...new Set([...returning.value, ...wanted.value])].filter((ticker) => !isNftNetwork(ticker) && !find(ticker));

/** Why it is not known what is active. */
export const failure = signal<unknown>(null);

/** What the user had activated, and the node is still bringing back after a restart. */
export const returning = signal<readonly string[]>([]);

/** How many coins the node has besides those in holdings: more than MOST are not shown. */
export const beyond = signal(0);

const byTicker = computed(() => new Map(holdings.value?.map((holding) => [holding.ticker, holding])));

export const find = (ticker: string): Holding | undefined => byTicker.value.get(ticker);

/** The addresses of all that is active. */
export const ownAddresses = (): string[] => [...new Set((holdings.value ?? []).map(({ address }) => address).filter(Boolean))];

/** All that is held: what can be spent and what cannot. */
export const total = ({ spendable, unspendable }: Balance): string => add(spendable, unspendable);

/** What is active, by tickers in its order: it changes more rarely than balances do. */
export const activeTickers = computed(() => (holdings.value ?? []).map(({ ticker }) => ticker).join(" "));

const LOOK = 30_000; // ms between looks at balances that the node does not tell
const RETURN = [1000, 2000, 4000, 8000, 15_000]; // ms between looks for coins that come back
const PATIENCE = 12; // looks for one that may not come
const MOST = 2000; // coins
const STREAMS = 100; // coins whose changes the node reports; the others are asked for
const AT_ONCE = 8; // balances that are asked for
const FRAME = 16; // ms in which changes are shown together

const isTicker = (value: unknown): value is string => typeof value === "string" && /^\S{1,64}$/.test(value);

const isBalanceOf = (value: unknown): value is Balance => {
  const { spendable, unspendable } = (value ?? {}) as Partial<Balance>;
  return typeof spendable === "string" && typeof unspendable === "string" && isDecimal(spendable) && isDecimal(unspendable);
};

/** What became known of a coin. */
interface Update {
  news: Partial<Holding>;
  /** Whether a change of the balance is announced. */
  heard: boolean;
}

let watcher: Watcher | null = null;

/** Looks anew at what is active, at once. */
export const refresh = async (): Promise<void> => watcher?.look();

/** Asks for the balances of a coin and what is on its chain at once: something has changed them. */
export const again = (ticker: string): void => watcher?.again(ticker);

/** Asks for the balance of a coin at once, and of the one that pays its fees: somebody is about to rely on them. */
export const renew = (ticker: string): void => watcher?.ask(...new Set([ticker, platformOf(ticker) ?? ticker]));

/** Another coin that is to come: an activation that was interrupted may be finished by the node. */
export const expected = signal<string | null>(null);

/** The balances of one node. */
class Watcher {
  #over = false;
  /** By ticker: what ends a stream, null while it is being opened. */
  #streams = new Map<string, (() => void) | null>();
  #timers = new Set<ReturnType<typeof setTimeout>>();
  #ends: (() => void)[] = [];
  #looks = 0;
  #looking: Promise<void> = Promise.resolve();
  /** By ticker: how often an event told its balance. */
  #told = new Map<string, number>();
  /** What is shown with the next frame, by ticker. */
  #updates = new Map<string, Update>();
  #frame: ReturnType<typeof setTimeout> | undefined;
  /** Whose balances are asked for next, and whether a change is announced. */
  #waiting = new Map<string, boolean>();
  #asking = 0;

  constructor(readonly node: Connection) {
    this.#ends.push(node.subscribe("*", (event) => this.#hear(event)));
    const shown = () => document.visibilityState === "visible" && void this.look();
    document.addEventListener("visibilitychange", shown);
    addEventListener("storage", shown);
    const poll = setInterval(() => this.#poll(), LOOK);
    this.#ends.push(
      () => document.removeEventListener("visibilitychange", shown),
      () => removeEventListener("storage", shown),
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

  /** Finds out what is active, and asks for the balances of what is new. In the end that is known, if need be from a later look. */
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
      beyond.value = Math.max(0, tickers.length - MOST);
      this.#take(tickers.slice(0, MOST));
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
      noteActive(active.filter((ticker) => !isLightning(ticker))); // a native node has other users, who disable coins
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

  /** Has the node tell of changes, of a coin and the tokens on it; then asks once, lest one was missed. */
  async #listen(ticker: string) {
    this.#streams.set(ticker, null);
    try {
      this.#streams.set(ticker, await openStream("stream::balance::enable", { coin: ticker }));
    } catch {
      this.#streams.delete(ticker); // it is polled, and tried again
      return;
    }
    this.#family(ticker).forEach((member) => this.#ask(member, true));
  }

  again(ticker: string) {
    this.#family(platformOf(ticker) ?? ticker).forEach((member) => this.#ask(member));
  }

  /** Asks for the balances of coins at once, of those that are active. */
  ask(...tickers: string[]) {
    tickers.filter(find).forEach((ticker) => void this.#askNow(ticker, false));
  }

  #family(ticker: string): string[] {
    return (holdings.peek() ?? []).filter((holding) => holding.ticker === ticker || holding.platform === ticker).map((holding) => holding.ticker);
  }

  /**
   * Asks for a balance, when its turn has come.
   * @param missed a change may have had no event: it is said now
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

  /** An answer that an event has overtaken does not count. */
  async #askNow(ticker: string, missed: boolean) {
    const told = this.#told.get(ticker);
    try {
      const { balance: spendable, unspendable_balance: unspendable, address } = (await this.node.rpc("my_balance", { coin: ticker })) ?? {};
      const balance = { spendable, unspendable };
      if (typeof address !== "string" || !isBalanceOf(balance)) {
        throw badAnswer("my_balance");
      }
      const overtaken = this.#told.get(ticker) !== told;
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

  /** Shows what has become known since the last frame, and announces what was heard. */
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
      return update ? { ...holding, ...update.news } : holding; // the same object is not drawn again
    });
    say([...updates].flatMap(([ticker, { news, heard }]) => (heard && news.balance ? (changeOf(ticker, before.get(ticker)?.balance, news.balance) ?? []) : [])));
  }

  #hear(event: NodeEvent) {
    if (event._type === "ERROR:LAGGED") {
      (holdings.peek() ?? []).forEach(({ ticker }) => this.#ask(ticker, true));
    } else if (event._type === "ERROR:FORGOTTEN") {
      // The node was started anew: its coins come back one after another, and have no streams yet.
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
    // Of an HD wallet's addresses the first is the coin's own, which is shown.
    const own = new Map([...message].reverse().map((one) => [one?.ticker, one?.balance]));
    for (const [ticker, balance] of own) {
      if (find(ticker) && isBalanceOf(balance)) {
        this.#told.set(ticker, (this.#told.get(ticker) ?? 0) + 1);
        this.#change(ticker, { balance, error: null }, true);
      }
    }
  }

  /** What no stream tells is asked for, while somebody looks; and whether others have activated something. */
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
  /** In words, for those who do not see it. */
  text: string;
  /** There is more than before. */
  more: boolean;
}

/** Announces changes; what has arrived is shown too. */
function say(changes: readonly Change[]) {
  for (const { ticker, text } of changes.filter(({ more }) => more)) {
    toast(hideAmounts.get() ? t("coin.arrived", { ticker }) : text);
  }
  if (changes.length > 0) {
    announce(changes.map(({ text }) => text).join(". "));
  }
}

/** What a change was; null if there was none, or it is not known. */
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

/** Whether nothing is active, nothing is coming back and nothing is being activated. */
export const isEmpty = computed(() => holdings.value?.length === 0 && returning.value.length === 0 && wanted.value.length === 0);
