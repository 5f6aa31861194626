/**
 * The coins that are active, with their balances. They are read once, and from then on
 * the node tells of every change; a coin whose changes it cannot tell is asked every so
 * often. It begins when a view of coins is first shown and goes on in all others.
 */

import { computed, effect, signal, untracked } from "@preact/signals";
import type { NodeEvent } from "obverse";
import { t } from "../language.ts";
import { written } from "../money.ts";
import { add } from "../decimal.ts";
import { connection, online, state, type Connection } from "../node.ts";
import { openStream } from "../streams.ts";
import { announce } from "../ui/announce.tsx";
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

/** Why it is not known what is active. */
export const failure = signal<unknown>(null);

/** What the user had activated, and the node is still bringing back after a restart. */
export const returning = signal<readonly string[]>([]);

export const find = (ticker: string): Holding | undefined => holdings.value?.find((holding) => holding.ticker === ticker);

/** The addresses of all that is active. */
export const ownAddresses = (): string[] => [...new Set((holdings.value ?? []).map(({ address }) => address).filter(Boolean))];

/** All that is held: what can be spent and what cannot. */
export const total = ({ spendable, unspendable }: Balance): string => add(spendable, unspendable);

const LOOK = 30_000; // ms between looks at balances that the node does not tell
const RETURN = [1000, 2000, 4000, 8000, 15_000]; // ms between looks for coins that come back
const PATIENCE = 12; // looks for one that may not come

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
      const { coins } = await this.node.rpc("get_enabled_coins");
      if (this.#over || turn !== this.#looks) {
        return;
      }
      failure.value = null;
      this.#take(coins.map(({ ticker }) => ticker));
    } catch (error) {
      if (!this.#over && turn === this.#looks) {
        failure.value = error;
        this.#later(LOOK);
      }
    }
  }

  #take(active: string[]) {
    const known = holdings.peek() ?? [];
    const platform = (ticker: string) => {
      const of = platformOf(ticker);
      return of !== null && active.includes(of) ? of : null;
    };
    nftNetworks.value = active.filter(isNftNetwork);
    const list = active.filter((ticker) => !isNftNetwork(ticker)).map((ticker) => ({ address: "", balance: null, error: null, ...known.find((holding) => holding.ticker === ticker), ticker, platform: platform(ticker) }));
    holdings.value = list.filter((holding) => holding.platform === null).flatMap((holding) => [holding, ...list.filter((token) => token.platform === holding.ticker)]);
    if (expected.peek() !== null && active.includes(expected.peek() ?? "")) {
      expected.value = null;
    }
    if (this.node.kind === "page") {
      noteActive(active.filter((ticker) => !isLightning(ticker))); // a native node has other users, who disable coins
    }
    const missing = remembered().filter(({ ticker, active: wanted }) => wanted && !active.includes(ticker));
    returning.value = missing.map(({ ticker }) => ticker);
    if (missing.length > 0 || (expected.peek() !== null && this.#looks < PATIENCE)) {
      this.#later(RETURN[Math.min(this.#looks, RETURN.length) - 1] ?? LOOK);
    }
    for (const { ticker, platform: of, balance } of holdings.value) {
      if (of === null && !this.#streams.has(ticker) && !isLightning(ticker)) {
        void this.#listen(ticker);
      }
      if (balance === null) {
        void this.#ask(ticker);
      }
    }
    for (const [ticker, end] of this.#streams) {
      if (end && !holdings.value.some((holding) => holding.ticker === ticker && holding.platform === null)) {
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
    this.#family(ticker).forEach((member) => void this.#ask(member, true));
  }

  again(ticker: string) {
    this.#family(platformOf(ticker) ?? ticker).forEach((member) => void this.#ask(member));
  }

  /** Asks for the balances of coins, of those that are active. */
  ask(...tickers: string[]) {
    tickers.filter(find).forEach((ticker) => void this.#ask(ticker));
  }

  #family(ticker: string): string[] {
    return (holdings.peek() ?? []).filter((holding) => holding.ticker === ticker || holding.platform === ticker).map((holding) => holding.ticker);
  }

  /**
   * Asks for a balance. An answer that an event has overtaken does not count.
   * @param missed a change may have had no event: it is said now
   */
  async #ask(ticker: string, missed = false) {
    const told = this.#told.get(ticker);
    try {
      const { balance, unspendable_balance, address } = await this.node.rpc("my_balance", { coin: ticker });
      const overtaken = this.#told.get(ticker) !== told;
      const [before, now] = [find(ticker)?.balance, { spendable: balance, unspendable: unspendable_balance }];
      this.#change(ticker, { address, error: null, ...(overtaken ? {} : { balance: now }) });
      if (missed && !overtaken && !this.#over) {
        say([inWords(ticker, before, now)]);
      }
    } catch (error) {
      this.#change(ticker, { error });
    }
  }

  #change(ticker: string, news: Partial<Holding>) {
    if (!this.#over) {
      holdings.value = (holdings.peek() ?? []).map((holding) => (holding.ticker === ticker ? { ...holding, ...news } : holding));
    }
  }

  #hear(event: NodeEvent) {
    if (event._type === "ERROR:LAGGED") {
      (holdings.peek() ?? []).forEach(({ ticker }) => void this.#ask(ticker, true));
    } else if (event._type === "ERROR:FORGOTTEN") {
      // The node was started anew: its coins come back one after another, and have no streams yet.
      this.#streams.forEach((end) => end?.());
      this.#streams.clear();
      holdings.value = (holdings.peek() ?? []).map((holding) => ({ ...holding, balance: null }));
      void this.look();
    } else if (event._type.startsWith("ERROR:BALANCE:")) {
      this.#family(event._type.slice("ERROR:BALANCE:".length)).forEach((ticker) => void this.#ask(ticker));
    } else if (isBalance(event)) {
      this.#tell(event.message);
    }
  }

  #tell(message: { ticker: string; balance: Balance }[]) {
    // Of an HD wallet's addresses the first is the coin's own, which is shown.
    const own = message.filter(({ ticker }, at) => message.findIndex((other) => other.ticker === ticker) === at);
    const said = own.map(({ ticker, balance }) => {
      const before = find(ticker)?.balance;
      this.#told.set(ticker, (this.#told.get(ticker) ?? 0) + 1);
      this.#change(ticker, { balance, error: null });
      return inWords(ticker, before, balance);
    });
    say(said);
  }

  /** What no stream tells is asked for, while somebody looks; and whether others have activated something. */
  #poll() {
    if (document.visibilityState !== "visible" || !online.peek()) {
      return;
    }
    void this.look();
    for (const { ticker, platform, error } of holdings.peek() ?? []) {
      if (error || !this.#streams.has(platform ?? ticker)) {
        void this.#ask(ticker);
      }
    }
  }
}

type BalanceEvent = Extract<NodeEvent, { _type: `BALANCE:${string}` }>;

const isBalance = (event: NodeEvent): event is BalanceEvent => event._type.startsWith("BALANCE:");

function say(changes: string[]) {
  if (changes.some(Boolean)) {
    announce(changes.filter(Boolean).join(". "));
  }
}

/** What a change was, for those who do not see it; "" if there was none, or it is not known. */
function inWords(ticker: string, before: Balance | null | undefined, after: Balance): string {
  if (!before || (before.spendable === after.spendable && before.unspendable === after.unspendable)) {
    return "";
  }
  const [was, is] = [total(before), total(after)];
  const change = add(is, was.startsWith("-") ? was.slice(1) : `-${was}`);
  return change === "0" ? t("coin.nowspendable", { ticker, amount: written(after.spendable) }) : t(change.startsWith("-") ? "coin.less" : "coin.more", { ticker, amount: written(change.replace("-", "")), now: written(is) });
}

effect(() => {
  const node = connection.value;
  untracked(() => {
    watcher?.end();
    holdings.value = null;
    nftNetworks.value = [];
    failure.value = null;
    returning.value = [];
    watcher = node && new Watcher(node);
  });
});

/** Whether nothing is active and nothing is coming back. */
export const isEmpty = computed(() => holdings.value?.length === 0 && returning.value.length === 0);
