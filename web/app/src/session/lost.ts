/**
 * The wallets that a tab still has after the browser has deleted their records, such as with the data of all sites. The tab goes on with
 * them by itself, also if another tab has stored other wallets meanwhile, until its user stores them again or removes them.
 */

import { forgetOf } from "../memory.ts";
import * as node from "../node.ts";
import { get, update } from "./db.ts";
import { apart, isSame, joined, walletsOf } from "./join.ts";
import { heldSecrets, isShared, keepSession, leaveSession } from "./kept.ts";
import { idOf, nativeSecret, pageSecret, secretsOf, settingsName, storeOf, type Profile } from "./profile.ts";
import { announceOpened, begin, lost, phase, profile, restart } from "./session.ts";
import { removeStore } from "./wipe.ts";

/** Reports whether wallets of this tab are not stored. If so, its session is in this tab alone, and its wallets use no data of those that are stored. */
export async function keep(mine: Profile, stored: Profile | undefined): Promise<boolean> {
  if (profile.peek() !== mine) {
    return true; // this tab has changed it meanwhile
  }
  const known = walletsOf(stored);
  if (walletsOf(mine).every((wallet) => !wallet.vault || known.some((one) => isSame(one, wallet)))) {
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
  const [page, native] = [pageSecret(mine, secrets), nativeSecret(mine, secrets)];
  profile.value = next;
  if (secrets) {
    await keepSession(secretsOf(next, { ...(page && { page }), ...(native && { native }) }), isStored);
  }
}

/** Stores the wallets of this tab again, next to those that another tab has stored. All tabs use the one of this tab then. */
export async function storeAgain(): Promise<void> {
  const mine = profile.peek() as Profile;
  const now = await update<Profile>("profile", (stored) => {
    const all = stored ? joined(stored, mine) : mine;
    const page = walletsOf(all).find((wallet) => mine.page && isSame(wallet, mine.page));
    return { ...all, use: mine.use, ...(page && { page, others: walletsOf(all).filter((wallet) => wallet !== page) }) };
  });
  await continueWith(now, true);
  lost.value = false;
  announceOpened();
  if (phase.peek() === "open" && node.state.peek().is === "off") {
    await begin();
  }
}

/** Removes the wallets of this tab that are not stored, and starts again with those that are. */
export async function giveUp(): Promise<void> {
  const page = profile.peek()?.page;
  const stored = await get<Profile>("profile");
  await node.stop();
  leaveSession();
  if (page && !walletsOf(stored).some((one) => idOf(one) === idOf(page))) {
    forgetOf(settingsName(page));
    await removeStore(storeOf(page)).catch(() => {}); // another tab may still use it
  }
  restart();
}
