/** The history of a coin. Malformed entries are dropped, so that the others can be displayed. */

import type { Methods } from "obverse";
import { badAnswer } from "../bounded.ts";
import { isDecimal } from "../decimal.ts";
import { rpc } from "../node.ts";
import type { Entry } from "./meaning.ts";

export type Page = Methods["my_tx_history"]["result"] & {
  /** Number of dropped entries. */
  invalid: number;
};

const isText = (value: unknown): value is string => typeof value === "string";
const areTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);
const isObject = (value: unknown): boolean => typeof value === "object" && value !== null;

function isEntry(value: Partial<Entry> | null): value is Entry {
  const { coin, tx_hash, internal_id, memo, from, to, transaction_type: type, fee_details: fee, ...rest } = value ?? {};
  const amounts = [rest.my_balance_change, rest.total_amount, rest.spent_by_me, rest.received_by_me, fee?.amount];
  return [coin, tx_hash, internal_id, memo, fee?.coin].every(isText) && areTexts(from) && areTexts(to) && (isText(type) || isObject(type)) && amounts.every((amount) => isText(amount) && isDecimal(amount)) && [rest.timestamp, rest.confirmations, rest.block_height].every(Number.isFinite);
}

const LATEST = 253_402_300_799; // seconds since 1970: the end of the year 9999

/** Returns the transactions of a coin, newest first, at most limit. */
export async function historyOf(coin: string, limit: number): Promise<Page> {
  const page = await rpc("my_tx_history", { coin, limit });
  if (!Array.isArray(page?.transactions) || !isText(page.sync_status?.state)) {
    throw badAnswer("my_tx_history");
  }
  const transactions = page.transactions.filter(isEntry).map((entry) => (entry.timestamp >= 0 && entry.timestamp <= LATEST ? entry : { ...entry, timestamp: 0 }));
  return { ...page, incomplete: Array.isArray(page.incomplete) ? page.incomplete.filter(isObject) : [], transactions, invalid: page.transactions.length - transactions.length };
}
