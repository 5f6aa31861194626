/** Counts wrong passwords. After the third, each one makes the next attempt wait longer. */

import { get, put, remove } from "./db.ts";

interface Attempts {
  failed: number;
  /** The time of the next allowed attempt, in milliseconds since 1970. */
  until: number;
}

/** Each wallet has a separate count: the password of one must not allow more attempts at another. */
const record = (wallet: string) => ["attempts", wallet].filter(Boolean).join("/");

const FREE = 3;
const LONGEST = 300; // seconds

/** Returns the seconds to wait after a number of wrong passwords: 0, 0, 0, 5, 10, 20, … 300. */
export const pause = (failed: number): number => (failed <= FREE ? 0 : Math.min(LONGEST, 5 * 2 ** (failed - FREE - 1)));

/** Returns when the next attempt is allowed, in milliseconds since 1970, or 0 if it is allowed already. */
export async function waitUntil(wallet: string): Promise<number> {
  const { failed = 0, until = 0 } = (await get<Attempts>(record(wallet))) ?? {};
  // If the clock was set back, the wallet is not locked for longer than the pause.
  const end = Math.min(until, Date.now() + pause(failed) * 1000);
  return end > Date.now() ? end : 0;
}

/** Counts a wrong password and returns when the next attempt is allowed. */
export async function countWrong(wallet: string): Promise<number> {
  const failed = ((await get<Attempts>(record(wallet)))?.failed ?? 0) + 1;
  const wait = pause(failed) * 1000;
  await put(record(wallet), { failed, until: Date.now() + wait } satisfies Attempts);
  return wait === 0 ? 0 : Date.now() + wait;
}

export const forgetWrong = (wallet: string): Promise<unknown> => remove(record(wallet));
