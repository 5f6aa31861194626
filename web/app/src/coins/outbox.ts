/**
 * What was sent from this browser: followed until it is in a block, whatever view is shown
 * and after a reload too. Of chains whose servers tell no history it is all that there is.
 */

import { effect, signal } from "@preact/signals";
import { RpcError } from "obverse";
import { t } from "../language.ts";
import { written } from "../money.ts";
import { connection, rpc } from "../node.ts";
import { announce } from "../ui/announce.tsx";
import { isEvm } from "./family.ts";
import { again } from "./holdings.ts";
import { recall, remember } from "../memory.ts";
import type { Token } from "../nfts/nft.ts";
import { whose } from "./remembered.ts";

/** An NFT, with as many of it as are held or sent. */
export interface Item extends Token {
  name: string;
  kind: string;
  amount: string;
}

/** "Lighthouse 3", or "2 × Boat". */
export const nftText = ({ name, amount }: Item): string => (amount === "1" ? name : `${amount} × ${name}`);

export interface Outgoing {
  coin: string;
  to: string[];
  /** What the receiver gets, in whole coins. */
  amount: string;
  /** What is sent instead of an amount of the coin. */
  nft?: Item | undefined;
  hash: string;
  /** The signed transaction; to give it away once more does no harm. */
  hex: string;
  /** Of its block; null: it waits for one. */
  height: number | null;
  /** When it was sent, in seconds since 1970; absent: an earlier page noted it. */
  time?: number;
}

/** Whether a transfer takes the place of another one and moves nothing, as wallets cancel what waits on an EVM network. */
export const isCancellation = ({ coin, amount, nft }: Pick<Outgoing, "coin" | "amount" | "nft">): boolean => !nft && isEvm(coin) && /^0(\.0*)?$/.test(amount);

/** What is sent, in words. */
export const whatIn = ({ coin, amount, nft }: Pick<Outgoing, "coin" | "amount" | "nft">): string => (nft ? nftText(nft) : `${written(amount)} ${coin}`);

/** The newest first. */
export const outbox = signal<Outgoing[]>([]);

const KEPT = 20;
const MAX_WAITING = 200; // of those that wait for a block
const AGAIN = 5000; // ms

/** What is being followed through the node in use, by hash. */
let followed = new Set<string>();

/** Ends of pauses between two tries. */
const pauses = new Set<() => void>();

const pause = () =>
  new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer);
      pauses.delete(end);
      resolve();
    };
    const timer = setTimeout(end, AGAIN);
    pauses.add(end);
  });

/** Whose list it is that is shown: who sends something notes it there, also when another one is shown by then. */
export const ours = () => `sent.${whose()}`;

function isOutgoing(value: unknown): value is Outgoing {
  const { coin, to, amount, hash, hex } = (value ?? {}) as Partial<Outgoing>;
  return Array.isArray(to) && [coin, amount, hash, hex].every((text) => typeof text === "string");
}

function kept(list: string): Outgoing[] {
  try {
    const all: unknown = JSON.parse(recall(list) ?? "[]");
    return Array.isArray(all) ? all.filter(isOutgoing) : [];
  } catch {
    return [];
  }
}

function keep(list: string, all: Outgoing[]) {
  const newest = all.filter(({ height }, at) => at < KEPT || (height === null && at < MAX_WAITING)); // what waits is followed, and given away once more
  remember(list, JSON.stringify(newest));
  if (connection.peek() && list === ours()) {
    outbox.value = newest;
  }
}

/** Notes what was sent, and what became of it. */
export const note = (one: Outgoing, list = ours()) => keep(list, [one, ...kept(list).filter(({ hash }) => hash !== one.hash)]);

/** Forgets what was not sent. */
export const drop = (hash: string, list = ours()) => keep(list, kept(list).filter((one) => one.hash !== hash));

export const isRefusal = (error: unknown): boolean => error instanceof RpcError && error.kind === "TransactionRefused";

/** Whether another transaction of the account has the nonce: core/wallet/evm/tx. */
const isReplaced = (error: unknown): boolean => error instanceof RpcError && error.is("TransactionRefused") && error.data.codespace === "evm" && error.data.code === 2;

/**
 * Waits until a transaction is in a block, and gives its height. It is followed through the
 * node in use, for as long as that is the one. It calls late whenever the coin's servers
 * have said for a while that it is not. The error is the chain's refusal, or says why
 * nothing is known.
 */
export async function follow(one: Outgoing, late: () => void = () => {}): Promise<number> {
  const now = followed; // who leaves the node and comes back has another one
  now.add(one.hash);
  try {
    return await untilMined(one, late);
  } finally {
    now.delete(one.hash);
  }
}

async function untilMined(one: Outgoing, late: () => void): Promise<number> {
  const node = connection.peek();
  const isOver = () => connection.peek() !== node; // another wallet's node is asked nothing of this one, and its list is another
  for (;;) {
    try {
      const { block_height: height = 0 } = await rpc("send_raw_transaction", { coin: one.coin, tx_hex: one.hex, required_confirmations: 1, timeout: 30 });
      if (isOver()) {
        return height;
      }
      note({ ...one, height });
      if (isEvm(one.coin)) {
        again(one.coin); // its servers tell nobody of changes: the node looks only so often
      }
      announce(t("send.aresent", { what: whatIn(one), height }));
      return height;
    } catch (error) {
      if (isOver()) {
        throw error;
      }
      if (isRefusal(error)) {
        drop(one.hash);
      }
      if (!(error instanceof RpcError && error.kind === "Transport")) {
        throw error;
      }
      late();
      await pause(); // servers that are gone answer at once
      if (isOver()) {
        throw error;
      }
    }
  }
}

/** Says that what was sent from here, and is looked at by no view, did not arrive. */
export const announceRefused = (one: Outgoing, error: unknown) => announce(t(isReplaced(error) ? "send.replaced" : "send.weresent", { what: whatIn(one) }));

/** Follows what was on its way when the page was left. Its coin may be a while in coming back. */
async function resume(one: Outgoing) {
  const node = connection.peek();
  while (connection.peek() === node && !followed.has(one.hash)) {
    try {
      await follow(one);
      return;
    } catch (error) {
      if (connection.peek() !== node) {
        return;
      }
      if (isRefusal(error)) {
        announceRefused(one, error);
        return;
      }
      await pause();
    }
  }
}

effect(() => {
  const node = connection.value;
  followed = new Set();
  [...pauses].forEach((end) => end());
  outbox.value = node ? kept(ours()) : [];
  outbox.peek().filter(({ height }) => height === null).forEach((one) => void resume(one));
});
