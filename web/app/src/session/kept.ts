/**
 * The open session: the decrypted secrets, in the memory of open tabs and
 * nowhere else. A tab gets them from another tab or, after a reload, from the service
 * worker, which holds them for a moment. Only the id of the session is stored. It
 * opens nothing: it shows whether secrets that are still in memory may be used.
 *
 * A session is in the memory of one tab alone without WebCrypto, and if the browser does not store the id, as when its
 * storage is full.
 */

import { recallInTab, rememberInTab } from "../memory.ts";
import { canEncrypt } from "./crypto.ts";
import { get, put, remove } from "./db.ts";
import { answerTabs, askTabs } from "./handover.ts";
import { isOver } from "./idle.ts";
import type { Secrets, Session } from "./profile.ts";
import { claim, drop, hold, prepare } from "./worker.ts";

/** Why a tab has lost its session. */
export type Gone = "idle" | "tab" | "reload";

const RECORD = "open"; // the id of the current session, for all tabs
/** The record with the sites connected in this session: dapps/sites.ts. */
export const SITES = "sites";
/** Name of the value of a tab with a session: the ticket for the session in the worker, or "". */
const MARK = "open";
const lockName = (id: string) => `obverse-session/${id}`;

/** The session of this tab, and whether its id is stored. */
let held: (Session & { stored: boolean }) | null = null;
let release = () => {};
/** Counts ended sessions, so that a late answer can detect that it is out of date. */
let turn = 0;

/** Returns the secrets of the current session; null without a session. */
export async function openSession(): Promise<Secrets | null> {
  if (held && !isShared() && !isOver()) {
    return { ...held.secrets };
  }
  const [before, mine] = [held, turn];
  const id = await get<string>(RECORD);
  if (id && isOver()) {
    await closeSession().catch(() => {}); // its secrets are dropped even if the records stay
  } else if (id) {
    const secrets = held?.id === id ? held.secrets : await find(id);
    if (secrets && (await get(RECORD)) === id && mine === turn) {
      await join({ id, secrets, stored: true });
      return mine === turn ? { ...secrets } : null;
    }
  }
  if (held && held !== before) {
    return openSession(); // a session was opened in this tab meanwhile
  }
  leaveSession();
  return null;
}

/** Reports whether other tabs can continue the session of this one. */
export const isShared = (): boolean => canEncrypt() && held?.stored === true;

/** Returns the id of the current session, if there is one. */
export const sessionName = async (): Promise<string | undefined> => (held?.stored === false ? held.id : get<string>(RECORD));

/** Returns why this tab cannot continue its session; null if it had none. Must be called before openSession. */
export async function whyGone(): Promise<Gone | null> {
  if (recallInTab(MARK) === null) {
    return null;
  }
  return isOver() ? "idle" : (await get(RECORD)) === undefined ? "tab" : "reload";
}

/** Requests a session from the tabs that hold its lock, then from the service worker. */
async function find(id: string): Promise<Secrets | null> {
  if (!canEncrypt()) {
    return null;
  }
  const { held: locks = [] } = await navigator.locks.query();
  // Chromium does not list the locks of a tab from before the site's data was deleted.
  const fromTab = held || locks.some(({ name }) => name === lockName(id)) ? await askTabs(id) : null;
  const ticket = recallInTab(MARK);
  return fromTab ?? (ticket ? claim(id, ticket) : null);
}

/** Starts a session with the given secrets, which other tabs can request from then on if it is shared. */
export async function keepSession(secrets: Secrets, isStored = true): Promise<void> {
  const session = { id: randomName(), secrets: { ...secrets }, stored: false };
  await join(session);
  try {
    isStored && (await put(RECORD, session.id));
    session.stored = isStored;
  } catch {
    // It is in this tab alone.
  }
  session.stored || rememberInTab(MARK, null); // no reload continues it
}

/** Returns the secrets of this tab's session, whatever is stored. */
export const heldSecrets = (): Secrets | undefined => held?.secrets;

/** Returns a name that cannot be guessed. Without WebCrypto, browsers have no randomUUID. */
const randomName = (): string => crypto.randomUUID?.() ?? crypto.getRandomValues(new Uint32Array(4)).join("-");

/** Leaves a session that another tab has ended. That tab removes the id; by now there may be a new session. */
export function leaveSession() {
  turn++;
  held = null;
  release();
  rememberInTab(MARK, null);
}

/**
 * Leaves the session when the page is closed, for its reload.
 * @param stays whether the browser caches the page for its back button; there it requests the session from other tabs, or the password
 */
export function restSession(stays: boolean) {
  if (held && isShared() && stays) {
    rememberInTab(MARK, "");
  } else if (held && isShared() && !isOver()) {
    hold({ id: held.id, secrets: held.secrets }, recallInTab(MARK) ?? "");
  }
  turn++;
  held = null;
  release();
}

/** Ends the session, with the connections of sites. Secrets that are still in memory elsewhere are not used again. */
export async function closeSession(): Promise<void> {
  const mine = held?.id;
  leaveSession();
  const id = mine ?? (await get<string>(RECORD));
  id && drop(id);
  await remove(RECORD, SITES);
}

async function join(session: NonNullable<typeof held>): Promise<void> {
  release();
  held = session;
  if (!canEncrypt()) {
    return;
  }
  rememberInTab(MARK, randomName());
  void prepare();
  await new Promise<void>((granted) => {
    void navigator.locks.request(lockName(session.id), { mode: "shared" }, () => {
      granted();
      return held === session ? new Promise<void>((resolve) => (release = resolve)) : undefined;
    });
  });
}

answerTabs((id) => (held?.id === id && !isOver() ? held.secrets : null));
