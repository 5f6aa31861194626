/** Whom something is sent to: names of ENS and ICNS, and those who had something before. */

import { effect, signal } from "@preact/signals";
import type { Methods } from "obverse";
import { connection, rpc } from "../node.ts";
import { familyOfAddress, plain } from "./addresses.ts";
import { contacts } from "./contacts.ts";
import { familyOf } from "./family.ts";
import { historyOf } from "./history.ts";
import { ownAddresses } from "./holdings.ts";
import type { Entry } from "./meaning.ts";
import { outbox } from "./outbox.ts";

/** What a name stands for. */
export type Named = Methods["resolve_name"]["result"];

/** Asks the node for the address that a name stands for. */
export const resolve = (coin: string, name: string): Promise<Named> => rpc("resolve_name", { coin, name: name.trim() });

/** Receivers in the histories, the newest first, by coin. */
const past = signal<Readonly<Record<string, readonly string[]>>>({});

/** Addresses that something was sent to since the page was loaded. */
const sentTo = signal<readonly string[]>([]);

effect(() => {
  connection.value; // who it was sent to by another wallet is another matter
  past.value = {};
  sentTo.value = [];
});

/** Something was sent to them. */
export const noteReceivers = (addresses: readonly string[]) => (sentTo.value = [...addresses, ...sentTo.peek()]);

/** Those who got something of a coin, as far as it is known, the newest first. */
export function recentReceivers(coin: string): string[] {
  const all = [...sentTo.value, ...outbox.value.filter((sent) => sent.coin === coin).flatMap(({ to }) => to), ...(past.value[coin] ?? [])];
  const own = ownAddresses();
  return [...new Map(all.filter((address) => familyOfAddress(address) === familyOf(coin) && !own.includes(address)).map((address) => [plain(address), address])).values()];
}

/** Addresses that the user knows: contacts, own ones, and those to which something was sent before, as far as that is known soon. */
export async function knownAddresses(coin: string, own: readonly string[]): Promise<Set<string>> {
  await learnReceivers(coin, own);
  return new Set([...own, ...contacts.peek().map(({ address }) => address), ...recentReceivers(coin)]);
}

/** Looks for receivers in the history of a coin. What somebody else made in the name of an own address, which costs the user nothing, is no sending. */
export async function learnReceivers(coin: string, own: readonly string[]): Promise<void> {
  const node = connection.peek();
  const list = await lastTransactions(coin);
  if (connection.peek() === node) {
    const sent = list.filter(({ from, spent_by_me: spent, transaction_type: type }) => spent !== "0" && isTransfer(type) && from.some((address) => own.includes(address)));
    past.value = { ...past.peek(), [coin]: sent.flatMap(({ to }) => to).filter((address) => !own.includes(address)) };
  }
}

const isTransfer = (type: Entry["transaction_type"]): boolean => (typeof type === "string" ? type === "StandardTransfer" : "TokenTransfer" in type || "TendermintIBCTransfer" in type);

const PAST = 200; // transactions in which to look for addresses
const PATIENCE = 3000; // ms
const BETWEEN = 250; // ms

/** The last transactions of a coin; of a history that is still being loaded, what there is when patience ends. */
async function lastTransactions(coin: string) {
  const ask = () => historyOf(coin, PAST).catch(() => null); // or the coin has no history
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
