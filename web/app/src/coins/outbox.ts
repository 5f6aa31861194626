/**
 * Transactions sent from this browser. They are followed until they are confirmed, whichever view is open,
 * also after a reload. For chains whose servers have no history, this is the only list.
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

/** An NFT and the amount held or sent. */
export interface Item extends Token {
  name: string;
  kind: string;
  amount: string;
}

/** Returns the NFT as text: "Lighthouse 3", or "2 × Boat". */
export const nftText = ({ name, amount }: Item): string => (amount === "1" ? name : `${amount} × ${name}`);

export interface Outgoing {
  coin: string;
  to: string[];
  /** The amount received, in whole coins. */
  amount: string;
  /** The NFT that is sent instead of coins. */
  nft?: Item | undefined;
  hash: string;
  /** The signed transaction, which can be broadcast again. */
  hex: string;
  /** The block height; null while pending. */
  height: number | null;
  /** When it was sent, in seconds since 1970; absent in records of earlier versions of the page. */
  time?: number;
}

/** Reports whether a transfer replaces another and moves nothing, which is how wallets cancel pending EVM transactions. */
export const isCancellation = ({ coin, amount, nft }: Pick<Outgoing, "coin" | "amount" | "nft">): boolean => !nft && isEvm(coin) && /^0(\.0*)?$/.test(amount);

/** Returns what is sent, in words. */
export const whatIn = ({ coin, amount, nft }: Pick<Outgoing, "coin" | "amount" | "nft">): string => (nft ? nftText(nft) : `${written(amount)} ${coin}`);

/** Newest first. */
export const outbox = signal<Outgoing[]>([]);

const KEPT = 20;
const MAX_WAITING = 200; // pending transactions
const AGAIN = 5000; // ms

/** The transactions that are followed through the current node, by hash. */
let followed = new Map<string, Promise<number>>();

/** Functions that end a pause between two attempts. */
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

/** Returns the name of the list of the wallet in use. Callers pass it on, since another wallet may be in use when they finish. */
export const ours = () => `sent.${whose()}`;

function isOutgoing(value: unknown): value is Outgoing {
  const { coin, to, amount, hash, hex } = (value ?? {}) as Partial<Outgoing>;
  return Array.isArray(to) && [coin, amount, hash, hex].every((text) => typeof text === "string");
}

/** Returns a list as it is stored, also with what another tab has changed a moment ago. */
function stored(list: string): Outgoing[] {
  try {
    const all: unknown = JSON.parse(recall(list) ?? "[]");
    return Array.isArray(all) ? all.filter(isOutgoing) : [];
  } catch {
    return [];
  }
}

function keep(list: string, all: Outgoing[]) {
  const newest = all.filter(({ height }, at) => at < KEPT || (height === null && at < MAX_WAITING)); // pending transactions are followed, and broadcast again
  remember(list, JSON.stringify(newest));
  if (connection.peek() && list === ours()) {
    outbox.value = newest;
  }
}

/** Returns the stored transactions. The caller is called again when this tab or another one changes them. */
export const sentNow = (): Outgoing[] => (outbox.value, connection.value ? stored(ours()) : []);

/** Saves a transaction or its new state. */
export const note = (one: Outgoing, list = ours()) => keep(list, [one, ...stored(list).filter(({ hash }) => hash !== one.hash)]);

/** Reports whether a transaction was saved before. */
export const isNoted = (one: string, list = ours()): boolean => stored(list).some(({ hash }) => hash === one);

/** Removes a transaction that was not sent. */
export const drop = (hash: string, list = ours()) => keep(list, stored(list).filter((one) => one.hash !== hash));

export const isRefusal = (error: unknown): boolean => error instanceof RpcError && error.kind === "TransactionRefused";

/**
 * Reports whether a transaction can no longer get into a block, or failed in one: core/wallet/evm/tx and core/wallet/cosmos/tx. Other
 * refusals come from servers that it is submitted to. Another server may have the transaction already, and put it into a block.
 */
const isVerdict = (error: unknown): boolean =>
  error instanceof RpcError && error.is("TransactionRefused") && (error.data.block_height > 0 || error.data.codespace === "evm" || (error.data.codespace === "sdk" && error.data.code === 30));

/** Reports whether a transaction was not sent, given an error of its first submission or of a later one. */
export const isUnsent = (error: unknown, isFirst: boolean): boolean => isVerdict(error) || (isFirst && isRefusal(error));

/** Reports whether another transaction of the account has used the nonce: core/wallet/evm/tx. */
const isReplaced = (error: unknown): boolean => error instanceof RpcError && error.is("TransactionRefused") && error.data.codespace === "evm" && error.data.code === 2;

/**
 * Waits until a transaction is confirmed and returns the block height. It is followed through the
 * current node while that stays the same, once if it is followed already. late is called each time the coin's
 * servers have reported it as pending for a while. The error is the chain's verdict or the reason why
 * the state is unknown.
 */
export async function follow(one: Outgoing, late: () => unknown = () => {}): Promise<number> {
  const now = followed; // a node that is left and used again gets a new set
  const mined = now.get(one.hash) ?? untilMined(one, late);
  now.set(one.hash, mined);
  try {
    return await mined;
  } finally {
    now.delete(one.hash);
  }
}

async function untilMined(one: Outgoing, late: () => unknown): Promise<number> {
  const node = connection.peek();
  const isOver = () => connection.peek() !== node; // never request one wallet's transactions from another wallet's node
  for (;;) {
    try {
      const { block_height: height = 0 } = await rpc("send_raw_transaction", { coin: one.coin, tx_hex: one.hex, required_confirmations: 1, timeout: 30 });
      if (isOver()) {
        return height;
      }
      note({ ...one, height });
      if (isEvm(one.coin)) {
        again(one.coin); // there are no events for the balance, and polling is slow
      }
      announce(t("send.aresent", { what: whatIn(one), height }));
      return height;
    } catch (error) {
      if (isOver()) {
        throw error;
      }
      if (isVerdict(error)) {
        drop(one.hash);
      }
      if (isVerdict(error) || !(error instanceof RpcError && ["Transport", "TransactionRefused"].includes(error.kind))) {
        throw error;
      }
      late();
      await pause(); // unreachable servers fail at once
      if (isOver() || !isNoted(one.hash)) {
        throw error; // another tab may have removed it, after the refusal of its first submission
      }
    }
  }
}

/** Announces that a transaction was rejected while no view of it was open. */
export const announceRefused = (one: Outgoing, error: unknown) => announce(t(isReplaced(error) ? "send.replaced" : "send.weresent", { what: whatIn(one) }));

/** Follows a transaction that was pending when the page was closed. Its coin may take a while to be restored. */
async function resume(one: Outgoing) {
  const node = connection.peek();
  while (connection.peek() === node && !followed.has(one.hash) && isNoted(one.hash)) {
    try {
      await follow(one);
      return;
    } catch (error) {
      if (connection.peek() !== node) {
        return;
      }
      if (isVerdict(error)) {
        announceRefused(one, error);
        return;
      }
      await pause();
    }
  }
}

effect(() => {
  const node = connection.value;
  followed = new Map();
  [...pauses].forEach((end) => end());
  outbox.value = node ? stored(ours()) : [];
  outbox.peek().filter(({ height }) => height === null).forEach((one) => void resume(one));
});

/** Shows what another tab has changed. It is followed there, since its first submission may be in progress. */
globalThis.addEventListener?.("storage", ({ key }) => {
  if (connection.peek() && key?.endsWith(ours())) {
    outbox.value = stored(ours());
  }
});
