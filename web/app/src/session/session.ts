/**
 * The current wallet and whether it is open. Its secret is stored encrypted with
 * the user's password. While it is open, its tabs have the secret in memory: a reload continues
 * the session, and locking removes it. All tabs are open or locked together, with one wallet, except a tab whose
 * wallet the browser has deleted, see lost.ts. Less frequent operations are in wallets.ts.
 */

import { effect } from "@preact/signals";
import * as node from "../node.ts";
import { EXPOSED, get, OLD_NAME, openExisting, update } from "./db.ts";
import { idOf, isLocked, nativeSecret, nodeName, pageSecret, secretsOf, storeOf, withOrigin, type NativeNode, type NativeSecret, type PageSecret, type Profile, type Secrets } from "./profile.ts";
import { closeSession, isShared, keepSession, leaveSession, openSession, restSession, whyGone } from "./kept.ts";
import { hear, tell } from "./tabs.ts";
import { touch, watch } from "./idle.ts";
import { takeToken } from "./linktoken.ts";
import { announceOpened, broken, exposed, lockedBy, lost, phase, profile, restart } from "./state.ts";
import { forgetAll } from "../memory.ts";
import { keepLoaded } from "./worker.ts";

export { announceOpened, broken, exposed, lockedBy, lost, phase, profile, restart, type Phase } from "./state.ts";

/** Imports the wallet of an earlier version of the page, if there is one. */
async function migrate(): Promise<void> {
  const old = await openExisting(OLD_NAME);
  if (old) {
    old.close();
    await (await import("./legacy.ts")).migrate();
  }
}

/**
 * Reports whether this tab keeps its wallets, because the browser has deleted some of them. Profiles of one origin differ by what users have
 * changed in another tab.
 */
async function keeps(stored: Profile | undefined): Promise<boolean> {
  const mine = profile.peek();
  const isOther = mine !== null && !isWiped && (!stored || stored.origin !== mine.origin);
  lost.value &&= isOther;
  return isOther && import("./lost.ts").then(({ keep }) => keep(mine, stored), () => (lost.value = true));
}

/** Reads the stored records, and opens the wallet if its session continues. */
export async function begin(): Promise<void> {
  try {
    await migrate();
    exposed.value = (await get(EXPOSED)) === true;
    const stored = await get<Profile>("profile");
    if (!(await keeps(stored))) {
      profile.value = stored ?? null;
    }
    const why = await whyGone();
    const secrets = await openSession();
    const token = takeToken();
    if (token && (await (await import("./onetime.ts")).connectByLink(token, useNative))) {
      return;
    }
    if (!profile.value) {
      phase.value = "new";
    } else if (isLocked(profile.value, secrets ?? {})) {
      lockedBy.value = secrets ? null : (why ?? lockedBy.peek());
      phase.value = "locked";
    } else {
      enter(profile.value, secrets ?? {});
    }
  } catch (error) {
    broken.value = error;
  }
}

function enter(now: Profile, secrets: Secrets) {
  lockedBy.value = null;
  phase.value = "open";
  touch();
  const native = now.use === "native" && nativeSecret(now, secrets);
  void (native && now.native ? node.startNative(now.native, native) : node.startPage(pageSecret(now, secrets) ?? null, storeOf(now.page)));
}

/** Changes the profile in one step, so that concurrent changes of other tabs are not lost, and shows it in all tabs. */
export async function save(change: (before: Profile | null) => Profile): Promise<Profile> {
  const now = (profile.value = await store(change));
  tell("profile");
  return now;
}

/** Stores the wallets of this tab again that the browser has deleted. */
export async function storeLost(): Promise<void> {
  await (await import("./lost.ts")).storeAgain();
  await resume();
}

/** Starts the node of an open wallet again if another tab has stopped it. */
async function resume(): Promise<void> {
  if (phase.peek() === "open" && node.state.peek().is === "off") {
    await begin();
  }
}

/** Shows what another tab has changed, unless it has switched to another wallet. */
export async function refresh(): Promise<void> {
  const now = await get<Profile>("profile");
  if (await keeps(now)) {
    await resume();
  } else if (now && idOf(now.page) === idOf(profile.peek()?.page)) {
    profile.value = now;
  }
}

/** Whether another tab deletes all data. */
let isWiped = false;

/** Changes the profile in one step without showing it. If the browser has deleted wallets of this tab, they are stored again. */
export async function store(change: (before: Profile | null) => Profile): Promise<Profile> {
  if (await keeps(await get<Profile>("profile"))) {
    await storeLost();
  }
  return update<Profile>("profile", (before) => (before ? change(before) : withOrigin(change(isWiped ? null : profile.peek()))));
}

/**
 * Stores a profile, unless it stays the same, and opens the wallet with its secrets in all tabs. If the session cannot be shared,
 * other tabs are informed of a changed profile only.
 */
export async function open(change: (before: Profile | null) => Profile, added: { page?: PageSecret; native?: NativeSecret }): Promise<void> {
  let isSame = false;
  const now = await store((before) => {
    const after = change(before);
    isSame = after === before;
    return after;
  });
  profile.value = now;
  const secrets = { ...(await openSession()), ...secretsOf(now, added) };
  await keepSession(secrets);
  enter(now, secrets);
  if (!isSame || isShared()) {
    announceOpened();
  }
}

/** Connects to a native node, which must respond and accept the password. */
export async function useNative(native: NativeNode, secret: NativeSecret): Promise<void> {
  await node.tryNative(native, secret);
  await open((before) => (before?.use === "native" && nodeName(before.native) === nodeName(native) ? before : { ...before, use: "native", native }), { native: secret });
}

/** Starts the creation of another wallet. The current one stays open until that is done. */
export const setUp = () => void (phase.value = "new");

/** Restarts the node after a failure. */
export const again = (): Promise<void> => begin();

/** Locks the wallet in all tabs: the node stops and the session is removed. */
export const lock = (by: "you" | "idle" = "you"): Promise<void> => leave(by);

async function leave(by: "you" | "idle" | "tab") {
  if (profile.peek() && phase.peek() !== "locked") {
    lockedBy.value = by;
    phase.value = "locked";
  }
  try {
    if (by === "tab") {
      leaveSession();
    } else {
      await closeSession().finally(() => tell("locked")); // a tab that opens in the meantime finds no session, or receives the message
    }
  } finally {
    await node.stop();
  }
}

/** Reports whether there is something to lock. */
export const canLock = (now: Profile | null): boolean => now?.use === "native" || now?.page?.kind === "passphrase";

/** Acts on messages one after the other. */
let heard: Promise<unknown> = Promise.resolve();
const inTurn = (act: () => Promise<unknown>) => () => void (heard = heard.then(act).catch(() => {}));

hear({
  locked: () => void leave("tab"),
  left: inTurn(async () => (await keeps(await get<Profile>("profile"))) || leaveSession()),
  opened: inTurn(async () => {
    isWiped = false; // deleting all data has failed
    await node.stop();
    await begin();
  }),
  stop: () => void node.stop(),
  profile: () => void refresh(),
  replaced: () => void node.replaced.value++,
  wiping: () => void (isWiped = true),
  wiped: () => void node.stop().then(forgetAll).then(restart),
});

effect(() => void (node.state.value.is === "on" && void keepLoaded()));

watch(() => {
  if (phase.peek() !== "locked" && canLock(profile.peek())) {
    void lock("idle");
  }
});

// A user who deletes the site's data does so in another tab.
document.addEventListener("visibilitychange", () => void (document.visibilityState === "visible" && profile.peek() && refresh().catch(() => {})));

// A page in the back/forward cache does not receive the lock: reload it.
addEventListener("pagehide", ({ persisted }) => {
  restSession(persisted);
  if (persisted) {
    phase.value = "starting";
    profile.value = null; // the user may delete it meanwhile
    void node.stop();
  }
});
addEventListener("pageshow", ({ persisted }) => void (persisted && begin()));
