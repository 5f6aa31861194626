/** Wrong passwords are counted, and each after the third makes the next one wait longer. */

import { get, put, remove } from "./db.ts";

interface Attempts {
  failed: number;
  /** Milliseconds since 1970 before which no other try is made. */
  until: number;
}

/** Each wallet has its own: the password of one must not give more tries at another. */
const record = (wallet: string) => ["attempts", wallet].filter(Boolean).join("/");

const FREE = 3;
const LONGEST = 300; // seconds

/** Seconds to wait after so many wrong passwords: 0, 0, 0, 5, 10, 20, … 300. */
export const pause = (failed: number): number => (failed <= FREE ? 0 : Math.min(LONGEST, 5 * 2 ** (failed - FREE - 1)));

/** When the next try may be made: milliseconds since 1970; 0: now. */
export async function waitUntil(wallet: string): Promise<number> {
  const { failed = 0, until = 0 } = (await get<Attempts>(record(wallet))) ?? {};
  // A clock that was set back must not lock the wallet for longer than the pause.
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
