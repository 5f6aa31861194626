/** Receivers: names of ENS and ICNS, and recent addresses. */

import { effect, signal } from "@preact/signals";
import type { Methods } from "obverse";
import { connection, rpc } from "../node.ts";
import { familyOfAddress, plain } from "./addresses.ts";
import { contacts } from "./contacts.ts";
import { familyOf } from "./family.ts";
import { historyOf } from "./history.ts";
import { walletAddresses } from "./holdings.ts";
import type { Entry } from "./meaning.ts";
import { outbox } from "./outbox.ts";

/** The address of a name. */
export type Named = Methods["resolve_name"]["result"];

/** Resolves a name through the node. */
export const resolve = (coin: string, name: string): Promise<Named> => rpc("resolve_name", { coin, name: name.trim() });

/** Receivers in the histories, newest first, by coin. */
const past = signal<Readonly<Record<string, readonly string[]>>>({});

/** Addresses that received a transaction since the page was loaded. */
const sentTo = signal<readonly string[]>([]);

effect(() => {
  connection.value; // reset when the wallet changes
  past.value = {};
  sentTo.value = [];
});

/** Remembers the receivers of a transaction. */
export const noteReceivers = (addresses: readonly string[]) => (sentTo.value = [...addresses, ...sentTo.peek()]);

/** Returns the recent receivers of a coin, newest first, as far as known. */
export function recentReceivers(coin: string): string[] {
  const all = [...sentTo.value, ...outbox.value.filter((sent) => sent.coin === coin).flatMap(({ to }) => to), ...(past.value[coin] ?? [])];
  const mine = walletAddresses();
  return [...new Map(all.filter((address) => familyOfAddress(address) === familyOf(coin) && !mine.includes(address)).map((address) => [plain(address), address])).values()];
}

/** Returns the addresses that the user knows: contacts, the user's own, and recent receivers, as far as they can be loaded quickly. */
export async function knownAddresses(coin: string, own: readonly string[]): Promise<Set<string>> {
  await learnReceivers(coin, own);
  return new Set([...own, ...contacts.peek().map(({ address }) => address), ...recentReceivers(coin)]);
}

/** Looks for receivers in the history of a coin. Transfers that others made in the name of the user's address, at no cost to the user, are left out. */
export async function learnReceivers(coin: string, own: readonly string[]): Promise<void> {
  const node = connection.peek();
  const list = await lastTransactions(coin);
  if (connection.peek() === node) {
    const sent = list.filter(({ from, spent_by_me: spent, transaction_type: type }) => spent !== "0" && isTransfer(type) && from.some((address) => own.includes(address)));
    past.value = { ...past.peek(), [coin]: sent.flatMap(({ to }) => to).filter((address) => !own.includes(address)) };
  }
}

const isTransfer = (type: Entry["transaction_type"]): boolean => (typeof type === "string" ? type === "StandardTransfer" : "TokenTransfer" in type || "TendermintIBCTransfer" in type);

const PAST = 200; // transactions to search for addresses
const PATIENCE = 3000; // ms
const BETWEEN = 250; // ms

/** Returns the last transactions of a coin. If the history is still being loaded, it returns what is there after the timeout. */
async function lastTransactions(coin: string) {
  const ask = () => historyOf(coin, PAST).catch(() => null); // null: the coin has no history
  const late = new Promise<null>((resolve) => setTimeout(resolve, PATIENCE, null));
  const end = Date.now() + PATIENCE;
  let answer = await Promise.race([ask(), late]);
  while (answer && LOADING.includes(answer.sync_status.state) && Date.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, BETWEEN));
    answer = (await Promise.race([ask(), late])) ?? answer;
  }
  return answer?.transactions ?? [];
}

const LOADING: readonly string[] = ["NotStarted", "InProgress"];
