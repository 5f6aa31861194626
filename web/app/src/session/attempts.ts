/**
 * Counts wrong passwords. After the third, each one makes the next attempt wait longer in the tab of the wrong one. Other tabs
 * allow one attempt at once, so that the user's password is never refused because someone else guessed. If the browser does
 * not store the count, as when its storage is full, the tab remembers it.
 */

import { recallInTab, rememberInTab } from "../memory.ts";
import { get, remove, update } from "./db.ts";

interface Attempts {
  failed: number;
  /** The time of the next allowed attempt in the tab of the last one, in milliseconds since 1970. */
  until: number;
  /** Whether the count is not stored. */
  here?: boolean;
}

/** Each wallet has a separate count: the password of one must not allow more attempts at another. */
const record = (wallet: string) => ["attempts", wallet].filter(Boolean).join("/");

const FREE = 3;
const LONGEST = 300; // seconds

/** Returns the seconds to wait after a number of wrong passwords: 0, 0, 0, 5, 10, 20, … 300. */
export const pause = (failed: number): number => (failed <= FREE ? 0 : Math.min(LONGEST, 5 * 2 ** (failed - FREE - 1)));

/** The attempts in this tab, which a reload keeps if the browser allows it. */
const mine = new Map<string, Attempts>();

const inTab = (wallet: string): Attempts | undefined => mine.get(wallet) ?? (JSON.parse(recallInTab(record(wallet)) ?? "null") as Attempts | null) ?? undefined;

/** Returns the number of wrong passwords since the last right one, in all tabs. */
async function count(wallet: string): Promise<number> {
  const all = await get<Attempts>(record(wallet)).catch(() => undefined);
  const here = inTab(wallet);
  return Math.max(all?.failed ?? 0, here?.here ? here.failed : 0);
}

/** Returns when the next attempt in this tab is allowed, in milliseconds since 1970, or 0 if it is allowed already. */
export async function waitUntil(wallet: string): Promise<number> {
  // If the clock was set back, the wallet is not locked for longer than the pause.
  const end = Math.min(inTab(wallet)?.until ?? 0, Date.now() + pause(await count(wallet)) * 1000);
  return end > Date.now() ? end : 0;
}

/** Counts a wrong password and returns when the next attempt is allowed. */
export async function countWrong(wallet: string): Promise<number> {
  const before = await count(wallet);
  const next = (failed: number): Attempts => ({ failed, until: failed <= FREE ? 0 : Date.now() + pause(failed) * 1000 });
  const attempts = await update<Attempts>(record(wallet), (all) => next(Math.max(before, all?.failed ?? 0) + 1)).catch(() => ({ ...next(before + 1), here: true }));
  mine.set(wallet, attempts);
  rememberInTab(record(wallet), JSON.stringify(attempts));
  return attempts.until;
}

/** Forgets the wrong passwords after the right one. If the browser keeps the count, later pauses are longer. */
export async function forgetWrong(wallet: string): Promise<void> {
  mine.delete(wallet);
  rememberInTab(record(wallet), null);
  await remove(record(wallet)).catch(() => {});
}
