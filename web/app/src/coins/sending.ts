/**
 * The transfer in progress, whichever view is open: a form, then a signed transaction for
 * review, then its way into a block. Nothing leaves the node before the user has confirmed it.
 * A wallet that sends what it signs is asked only after the review: until then there is only a
 * plan.
 */

import { effect, signal } from "@preact/signals";
import { NodeError, RpcError, type Methods } from "obverse";
import { badAnswer } from "../bounded.ts";
import { add, compare, isDecimal } from "../decimal.ts";
import { t, type Text } from "../language.ts";
import { entered } from "../money.ts";
import { connection, rpc } from "../node.ts";
import { announce } from "../ui/announce.tsx";
import { Said } from "../words.ts";
import { isElsewhere, isName, isSame } from "./addresses.ts";
import { platformOf } from "./catalog.ts";
import { find } from "./holdings.ts";
import { keyOf } from "./keyplace.ts";
import { runTask } from "./nodetask.ts";
import { feeOf, type Fee, type Speed } from "./speeds.ts";
import { announceRefused, drop, follow, isNoted, isRefusal, isUnsent, note, ours, whatIn, type Item, type Outgoing } from "./outbox.ts";
import { noteReceivers, resolve, type Named } from "./receivers.ts";

export interface Draft {
  coin: string;
  /** An address or a name. */
  to: string;
  /** In the coin, as entered or as converted from the currency. */
  amount: string;
  /** The amount as entered in the currency of prices; null if it was entered in the coin. */
  fiat: string | null;
  /** That currency, and the price at which it was converted. */
  rate?: { currency: string; price: string | null };
  /** Everything except the fee; amount is ignored. */
  all: boolean;
  memo: string;
  speed: Speed;
  /** The IBC channel, "12" or "channel-12"; "" to use the one that the node knows. */
  channel: string;
  /** The NFT that is sent instead of coins; amount is the number. */
  nft?: Item;
  /** The parts of the payment request that were not used. */
  unused?: string;
}

export type Transaction = Methods["withdraw"]["result"] & { nft?: Item | undefined };

/**
 * "asking": the node builds the transaction. "done": it is confirmed, or with height null
 * the wallet has sent it and the coin's servers do not have it yet. "unsure": it was
 * submitted and may have arrived. "refused": the chain rejected it, or it failed in its
 * block.
 */
export type Stage =
  | { is: "draft"; error: unknown }
  | { is: "asking" }
  | { is: "review"; tx: Transaction; order: Order; named: Named | null; instead?: Instead }
  | { is: "sending"; tx: Transaction }
  | { is: "waiting"; tx: Transaction; long: boolean }
  | { is: "done"; tx: Transaction; height: number | null }
  | { is: "unsure"; tx: Transaction; error: unknown }
  | { is: "refused"; tx: Transaction; error: unknown };

/** How a transaction replaces a pending one: the same with a higher fee, or none. */
export type Instead = "speedup" | "cancel";

export const empty = (coin: string): Draft => ({ coin, to: "", amount: "", fiat: null, all: false, memo: "", speed: "normal", channel: "" });

export const draft = signal<Draft>(empty(""));
export const stage = signal<Stage>({ is: "draft", error: null });

/** Returns the part of the page's address that names the form's NFT; "" for coins. */
export const itemIn = ({ nft }: { nft?: Item | undefined }): string => (nft ? `${nft.token_address}/${nft.token_id}` : "");

/** Counts operations, so that a late one can detect that it is out of date. */
let turn = 0;

/** Starts again with a form. */
export function begin(next: Draft, error: unknown = null) {
  turn++;
  draft.value = next;
  stage.value = { is: "draft", error };
}

/** Returns from the review to the form, which keeps its content. */
export const back = () => begin(draft.peek());

effect(() => {
  connection.value; // reset when the node changes
  begin(empty(""));
});

/** Returns the amount as a decimal text if it is a number. */
export const amountIn = ({ amount }: Pick<Draft, "amount">): string => entered(amount) ?? amount.trim();

const params = ({ coin, amount, all, memo, channel }: Draft, to: string, fee?: Fee): Methods["withdraw"]["params"] => ({
  coin,
  to,
  ...(all ? { max: true } : { amount: amountIn({ amount }) }),
  ...(memo === "" ? {} : { memo }),
  ...(fee ? { fee } : {}),
  ...(channel.trim() === "" ? {} : { ibc_source_channel: channel.trim() }),
});

/** The user's order, as entered in the form. */
export interface Order {
  coin: string;
  /** The receiver's address, also if a name was entered. */
  to: string;
  /** A decimal number of coins, or the number of an NFT; null for everything except the fee. */
  amount: string | null;
  memo: string;
  /** Whether it goes to another chain. */
  ibc: boolean;
  nft?: Item | undefined;
}

const orderOf = ({ coin, amount, all, memo, channel, nft }: Draft, to: string): Order => ({ coin, to, amount: all && !nft ? null : amountIn({ amount }), memo, ibc: channel.trim() !== "" || isElsewhere(find(coin)?.address ?? "", to), nft });

/** Reports whether a transaction moves coins to another chain. */
export const isOverIbc = ({ transaction_type: type }: Transaction): boolean => typeof type === "object" && type !== null && "TendermintIBCTransfer" in type;

/** Throws an error if a transaction does anything other than what was ordered. It is checked before the review and again before sending. */
function checkOrdered(tx: Transaction, { coin, to, amount, memo, ibc, nft }: Order) {
  if (!Array.isArray(tx?.to) || ![tx.total_amount, tx.my_balance_change, tx.fee_details?.amount].every((sum) => typeof sum === "string" && isDecimal(sum)) || typeof tx.fee_details.coin !== "string") {
    throw badAnswer("withdraw");
  }
  const isAmount = (sum: string | undefined) => amount === null || (sum !== undefined && isDecimal(sum) && isDecimal(amount) && compare(sum, amount) === 0);
  const wrong: (Text | false)[] = [
    tx.coin !== coin && "view.coin",
    !(tx.to.length === 1 && isSame(tx.to[0] ?? "", to)) && "send.to",
    !(isAmount(nft ? tx.nft?.amount : amountOf(tx)) && itemIn(tx) === itemIn({ ...(nft && { nft }) })) && "send.howmuch",
    (tx.memo ?? "") !== memo && "activity.memo",
    !isPlan(tx) && isOverIbc(tx) !== ibc && "send.overibc",
  ];
  const names = wrong.flatMap((name) => (name ? [t(name)] : []));
  if (names.length > 0) {
    throw new Said(t("send.differs", { names: names.join(", ") }), t("send.nothing"));
  }
}

/** Reports whether a transaction is only a plan, without a known fee. */
export const isPlan = ({ tx_hash }: Transaction): boolean => tx_hash === "";

/** Returns the plan of a draft, for a wallet that sends what it signs. */
function plan({ coin, amount, all, nft }: Draft, to: string): Transaction {
  const total = nft ? "0" : all ? (find(coin)?.balance?.spendable ?? "0") : amountIn({ amount });
  const fee = { type: "Eth", coin: platformOf(coin) ?? coin, amount: "0", gas_limit: 0 };
  const unknown = { tx_hex: "", tx_hash: "", internal_id: "", block_height: 0, timestamp: 0, received_by_me: "0", my_balance_change: "0" };
  return { ...unknown, coin, from: [], to: [to], total_amount: total, spent_by_me: total, fee_details: fee, transaction_type: "StandardTransfer", memo: "", nft: nft && { ...nft, amount: amountIn({ amount }) } };
}

const isForWallet = (error: unknown) => error instanceof RpcError && error.kind === "BroadcastExpected";

/** Reports whether an error leaves the outcome at the wallet unknown, and does not explain that itself. */
const isUnknown = (error: unknown) => error instanceof NodeError && ["WalletFailed", "InternalError", "NotRunning", "Crashed", "WorkerFailed"].includes(error.kind);

/** Reports whether the node rejected a request as invalid, before it submitted anything. */
const isInvalid = (error: unknown) => error instanceof RpcError && error.status >= 400 && error.status < 500;

/** Has the wallet create the transaction and send it. */
async function sendByWallet(now: Draft, to: string): Promise<Transaction> {
  try {
    return await withdraw(now, to, { broadcast: true });
  } catch (error) {
    if (isUnknown(error)) {
      throw new Said(t("send.walletanswer"), t("send.walletanswertodo"), error);
    }
    const another = error instanceof RpcError && error.kind === "SigningError";
    throw another ? new Said(t("send.walletother"), t("send.walletothertodo"), error) : error;
  }
}

/** Has the node create a transaction, as a task if a device signs it, so that the page can display its steps. */
async function withdraw(now: Draft, to: string, { fee, broadcast = false, current = () => true }: { fee?: Fee | undefined; broadcast?: boolean; current?: () => boolean }): Promise<Transaction> {
  if (now.nft) {
    return withdrawNft(now.nft, amountIn(now), { to, ...(fee && { fee }) }, broadcast);
  }
  const wanted = params(now, to, fee);
  return keyOf(now.coin) === "device" ? ((await runTask("task::withdraw", wanted, current)) as Transaction) : rpc("withdraw", { ...wanted, ...(broadcast && { broadcast }) });
}

/** Does the same for an NFT. The transaction moves no coins except for the fee. */
async function withdrawNft(nft: Item, amount: string, more: { to: string; fee?: Fee }, broadcast: boolean): Promise<Transaction> {
  const { chain, token_address, token_id, kind } = nft;
  const data = { chain, token_address, token_id, ...more };
  try {
    const sent = await rpc("withdraw_nft", kind === "ERC1155" ? { type: "withdraw_erc1155", withdraw_data: { ...data, amount }, broadcast } : { type: "withdraw_erc721", withdraw_data: data, broadcast });
    if (!sent?.fee_details) {
      throw badAnswer("withdraw_nft");
    }
    const fee = sent.fee_details.amount;
    return { ...sent, internal_id: "", total_amount: fee, spent_by_me: fee, received_by_me: "0", my_balance_change: `-${fee}`, memo: "", nft: { ...nft, amount: sent.amount } };
  } catch (error) {
    throw error instanceof RpcError && error.kind === "MyAddressNotNftOwner" ? new Said(t("send.nftgone"), t("send.nftgonetodo"), error) : error;
  }
}

/** Has the node create and sign the transaction. */
export async function make(): Promise<void> {
  const mine = ++turn;
  stage.value = { is: "asking" };
  const settle = (next: Stage) => {
    if (mine === turn) {
      stage.value = next;
    }
  };
  const now = draft.peek();
  let named: Named | null = null;
  let to = now.to.trim();
  try {
    if (isName(to)) {
      named = await resolve(now.coin, to);
      to = named.address;
    }
    const order = orderOf(now, to);
    const tx = await withdraw(now, to, { fee: await feeOf(now.coin, now.speed), current: () => mine === turn });
    checkOrdered(tx, order);
    settle({ is: "review", tx, order, named });
  } catch (error) {
    settle(isForWallet(error) ? { is: "review", tx: plan(now, to), order: orderOf(now, to), named } : { is: "draft", error: foreseen(error) });
  }
}

/** Words the rejection by a simulation, before which nothing was signed. */
const foreseen = (error: unknown): unknown => (isRefusal(error) ? new Said(t("send.wouldfail"), t("send.nothing"), error) : error);

/** Has the node create a transaction that replaces a pending one, for review. */
export async function replace({ coin, to, amount, hex, nft }: Outgoing, instead: Instead): Promise<void> {
  const mine = ++turn;
  const made = await rpc("replace_transaction", { coin, tx_hex: hex, cancel: instead === "cancel" });
  const tx = nft && instead === "speedup" ? { ...made, to, nft } : made;
  const order: Order = instead === "cancel" ? { coin, to: find(coin)?.address ?? "", amount: "0", memo: "", ibc: false } : { coin, to: to[0] ?? "", amount: nft?.amount ?? amount, memo: "", ibc: false, nft };
  checkOrdered(tx, order);
  if (mine === turn) {
    draft.value = { ...empty(coin), to: to[0] ?? "", amount };
    stage.value = { is: "review", tx, order, named: null, instead };
  }
}

/** Throws an error if a name no longer resolves to the address that the user has reviewed. */
async function checkName(coin: string, { name, address }: Named): Promise<void> {
  const now = await resolve(coin, name).catch((error: unknown) => {
    throw new Said(t("send.nameunknown", { name }), t("send.nothing"), error);
  });
  if (!isSame(now.address, address)) {
    throw new Said(t("send.namechanged", { name, before: address, now: now.address }), t("send.namecheck"));
  }
}

/**
 * Sends the reviewed transaction and follows it until it is confirmed.
 * @param order the reviewed order; absent if the same transaction was sent before
 */
export async function send(reviewed: Transaction, named: Named | null = null, order?: Order): Promise<void> {
  let tx = reviewed;
  const [mine, list, node, now] = [++turn, ours(), connection.peek(), draft.peek()];
  const settle = (next: Stage) => {
    if (mine === turn) {
      stage.value = next;
    }
  };
  settle({ is: "sending", tx });
  try {
    order && checkOrdered(tx, isPlan(tx) ? orderOf(now, order.to) : order);
    named && (await checkName(tx.coin, named));
    if (connection.peek() !== node) {
      return; // another wallet is in use now, and its form is displayed
    }
  } catch (error) {
    settle({ is: "draft", error });
    return;
  }
  const isFirst = !isNoted(tx.tx_hash, list);
  let isUnsure = false;
  try {
    if (isPlan(tx)) {
      tx = await sendByWallet(now, tx.to[0] ?? "");
    } else {
      note(outgoing(tx), list); // before it is submitted: if the page is closed now, the transaction may have been sent
      await rpc("send_raw_transaction", { coin: tx.coin, tx_hex: tx.tx_hex });
    }
  } catch (error) {
    const isRefused = isUnsent(error, isFirst);
    settle(isPlan(tx) ? { is: "draft", error } : { is: isRefused ? "refused" : "unsure", tx, error });
    if (isPlan(tx) || isRefused || (isFirst && isInvalid(error))) {
      drop(tx.tx_hash, list); // the user decides whether to try again
      return;
    }
    isUnsure = true;
  }
  noteReceivers(tx.to);
  if (tx.tx_hex === "") {
    settle({ is: "done", tx, height: null });
    announce(t("send.walletsent", { what: whatIn({ ...tx, amount: amountOf(tx) }) }));
    return;
  }
  isUnsure || settle({ is: "waiting", tx, long: false });
  note(outgoing(tx), list);
  if (!connection.peek() || ours() !== list) {
    return; // the wallet was left: the transaction is followed when it is in use again
  }
  try {
    settle({ is: "done", tx, height: await follow(outgoing(tx), () => isUnsure || settle({ is: "waiting", tx, long: true })) });
  } catch (error) {
    const isRefused = isUnsent(error, false);
    if (mine !== turn && isRefused) {
      announceRefused(outgoing(tx), error);
    }
    settle({ is: isRefused ? "refused" : "unsure", tx, error });
  }
}

const outgoing = (tx: Transaction): Outgoing => ({ coin: tx.coin, to: tx.to, amount: amountOf(tx), nft: tx.nft, hash: tx.tx_hash, hex: tx.tx_hex, height: null, time: Math.floor(Date.now() / 1000) });

/** Returns what the receiver gets: the total, less the fee if it is paid in the same coin. */
export function amountOf({ total_amount, coin, fee_details }: Transaction): string {
  return fee_details.coin === coin && fee_details.amount !== "0" ? add(total_amount, `-${fee_details.amount}`) : total_amount;
}
