/**
 * The wallets that a tab still has after the browser has deleted their records, such as with the data of all sites. The tab goes on with
 * them by itself, also if another tab has stored other wallets meanwhile, until its user stores them again or removes them.
 */

import { signal } from "@preact/signals";
import { forgetOf, restoreDeleted } from "../memory.ts";
import * as node from "../node.ts";
import { get, update } from "./db.ts";
import { apart, isSame, joined, walletsOf } from "./join.ts";
import { heldSecrets, isShared, keepSession, leaveSession } from "./kept.ts";
import { idOf, nativeSecret, nodeName, pageSecret, secretsOf, settingsName, storeOf, withOrigin, type PageWallet, type Profile } from "./profile.ts";
import { announceOpened, lost, profile, restart } from "./state.ts";
import { removeStore } from "./wipe.ts";

/** Returns the wallets of this tab that are not stored. */
const missingIn = (stored: Profile | undefined): PageWallet[] => walletsOf(profile.peek()).filter((wallet) => !walletsOf(stored).some((one) => isSame(one, wallet)));

/** The wallets of this tab that were not stored when that was last checked. */
export const missing = signal<PageWallet[]>([]);

/** Reports whether wallets of this tab are not stored. If so, its session is in this tab alone, and its wallets use no data of those that are stored. */
export async function keep(mine: Profile, stored: Profile | undefined): Promise<boolean> {
  if (profile.peek() !== mine) {
    return true; // this tab has changed it meanwhile
  }
  missing.value = missingIn(stored);
  if (!missing.peek().some(({ vault }) => vault)) {
    return (lost.value = false);
  }
  const other = apart(mine, stored ?? mine);
  const next = idOf(other.page) === idOf(mine.page) ? mine : other;
  if (isShared() || next !== mine) {
    await continueWith(next, false);
  }
  lost.value = profile.peek() === next;
  return true;
}

/** Continues the session with a profile in which the wallet in use may have another id, and so other data. */
async function continueWith(next: Profile, isStored: boolean): Promise<void> {
  const [mine, secrets] = [profile.peek(), heldSecrets() ?? null];
  if (idOf(next.page) !== idOf(mine?.page)) {
    await node.stop();
  }
  const page = pageSecret(mine, secrets);
  const native = nodeName(next.native) === nodeName(mine?.native) && nativeSecret(mine, secrets); // no node gets the password of another one
  profile.value = next;
  if (secrets) {
    await keepSession(secretsOf(next, { ...(page && { page }), ...(native && { native }) }), isStored);
  }
}

/**
 * Stores the wallets of this tab again, with its settings and pending payments, next to those that another tab has stored. All tabs use the
 * wallet of this tab then.
 */
export async function storeAgain(): Promise<void> {
  const mine = profile.peek() as Profile;
  const now = await update<Profile>("profile", (stored) => {
    const all = stored ? joined(stored, mine) : withOrigin(mine);
    const page = walletsOf(all).find((wallet) => mine.page && isSame(wallet, mine.page));
    return { ...all, use: mine.use, ...(mine.use === "native" && mine.native && { native: mine.native }), ...(page && { page, others: walletsOf(all).filter((wallet) => wallet !== page) }) };
  });
  restoreDeleted(); // before the node starts again, since pending payments are followed from then on
  await continueWith(now, true);
  lost.value = false;
  announceOpened();
}

/** Removes the wallets of this tab that are not stored, and starts again with those that are. */
export async function giveUp(): Promise<void> {
  const wallets = missingIn(await get<Profile>("profile"));
  await node.stop();
  leaveSession();
  const stored = walletsOf(await get<Profile>("profile"));
  for (const wallet of wallets) {
    if (!stored.some((one) => settingsName(one) === settingsName(wallet))) {
      forgetOf(settingsName(wallet));
    }
    if (!stored.some((one) => storeOf(one) === storeOf(wallet))) {
      await removeStore(storeOf(wallet)).catch(() => {}); // another tab may still use it
    }
  }
  restart();
}
