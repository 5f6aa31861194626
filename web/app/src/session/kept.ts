/**
 * The open session: the decrypted secrets, in the memory of open tabs and
 * nowhere else. A tab gets them from another tab or, after a reload, from the service
 * worker, which holds them for a moment. Only the id of the session is stored. It
 * opens nothing: it shows whether secrets that are still in memory may be used.
 */

import { canEncrypt } from "./crypto.ts";
import { get, put, remove } from "./db.ts";
import { answerTabs, askTabs } from "./handover.ts";
import { isOver } from "./idle.ts";
import type { Secrets } from "./profile.ts";
import { claim, drop, hold, prepare } from "./worker.ts";

export interface Session {
  id: string;
  secrets: Secrets;
}

/** Why a tab has lost its session. */
export type Gone = "idle" | "tab" | "reload";

const RECORD = "open"; // the id of the current session, for all tabs
/** The record with the sites connected in this session: dapps/sites.ts. */
export const SITES = "sites";
/** Key in sessionStorage of a tab with a session. The value is the ticket for the session in the worker, or "". */
const MARK = "obverse.open";
const lockName = (id: string) => `obverse-session/${id}`;

let held: Session | null = null;
let release = () => {};
/** Counts ended sessions, so that a late answer can detect that it is out of date. */
let turn = 0;

/** Returns the secrets of the current session; null without a session. */
export async function openSession(): Promise<Secrets | null> {
  if (!canEncrypt()) {
    return held && { ...held.secrets };
  }
  const [id, mine] = [await get<string>(RECORD), turn];
  if (id && isOver()) {
    await closeSession();
  } else if (id) {
    const secrets = held?.id === id ? held.secrets : await find(id);
    if (secrets && (await get(RECORD)) === id && mine === turn) {
      await join({ id, secrets });
      return mine === turn ? { ...secrets } : null;
    }
  }
  leaveSession();
  return null;
}

/** Returns the id of the current session, if there is one. */
export const sessionName = (): Promise<string | undefined> => get<string>(RECORD);

/** Returns why this tab cannot continue its session; null if it had none. Must be called before openSession. */
export async function whyGone(): Promise<Gone | null> {
  if (!canEncrypt() || sessionStorage.getItem(MARK) === null) {
    return null;
  }
  return isOver() ? "idle" : (await get(RECORD)) === undefined ? "tab" : "reload";
}

/** Requests a session from the tabs that hold its lock, then from the service worker. */
async function find(id: string): Promise<Secrets | null> {
  const { held: locks = [] } = await navigator.locks.query();
  const fromTab = locks.some(({ name }) => name === lockName(id)) ? await askTabs(id) : null;
  const ticket = sessionStorage.getItem(MARK);
  return fromTab ?? (ticket ? claim(id, ticket) : null);
}

/** Starts a session with the given secrets, which other tabs can request from then on. */
export async function keepSession(secrets: Secrets): Promise<void> {
  const id = crypto.randomUUID?.() ?? "";
  await join({ id, secrets: { ...secrets } });
  if (canEncrypt()) {
    await put(RECORD, id);
  }
}

/** Leaves a session that another tab has ended. That tab removes the id; by now there may be a new session. */
export function leaveSession() {
  turn++;
  held = null;
  release();
  sessionStorage.removeItem(MARK);
}

/**
 * Leaves the session when the page is closed, for its reload.
 * @param stays whether the browser caches the page for its back button; there it requests the session from other tabs, or the password
 */
export function restSession(stays: boolean) {
  if (held && canEncrypt() && stays) {
    sessionStorage.setItem(MARK, "");
  } else if (held && canEncrypt() && !isOver()) {
    hold(held, sessionStorage.getItem(MARK) ?? "");
  }
  turn++;
  held = null;
  release();
}

/** Ends the session. Secrets that are still in memory elsewhere are not used again. */
export async function closeSession(): Promise<void> {
  const mine = held?.id;
  leaveSession();
  if (canEncrypt()) {
    const id = mine ?? (await get<string>(RECORD));
    id && drop(id);
    await remove(RECORD);
    await remove(SITES);
  }
}

async function join(session: Session): Promise<void> {
  release();
  held = session;
  if (!canEncrypt()) {
    return;
  }
  sessionStorage.setItem(MARK, crypto.randomUUID());
  void prepare();
  await new Promise<void>((granted) => {
    void navigator.locks.request(lockName(session.id), { mode: "shared" }, () => {
      granted();
      return held === session ? new Promise<void>((resolve) => (release = resolve)) : undefined;
    });
  });
}

answerTabs((id) => (held?.id === id && !isOver() ? held.secrets : null));
