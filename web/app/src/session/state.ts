/** The state of the current wallet, which session.ts changes. */

import { signal } from "@preact/signals";
import type { Gone } from "./kept.ts";
import type { Profile } from "./profile.ts";
import { tell } from "./tabs.ts";

/** "new": there is no wallet yet, or another one is being created. */
export type Phase = "starting" | "new" | "locked" | "open";

export const phase = signal<Phase>("starting");
export const profile = signal<Profile | null>(null);

/** Why the wallet is locked, if it was open in this tab before. */
export const lockedBy = signal<Gone | "you" | null>(null);

/** Whether to inform the user that an earlier version of the page left the secrets readable. */
export const exposed = signal(false);

/** Whether the browser has deleted the records of a wallet that this tab still has. The tab keeps it until the user decides. */
export const lost = signal(false);

/** The error of reading the browser's storage, if any. */
export const broken = signal<unknown>(null);

/** Lets other tabs follow this one. */
export const announceOpened = () => tell("opened");

export function restart() {
  lost.value = false; // the user is not asked whether to leave the page
  history.replaceState(null, "", location.pathname);
  location.reload();
}
