/**
 * The open session: the secrets that the password gave, in the memory of open tabs and
 * nowhere else. A tab gets them from another one or, when it is reloaded, from the service
 * worker that has them for a moment. What is written is a name of the session, which opens
 * nothing: it shows whether secrets that are still in memory may be used.
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

/** Why a tab that had the session has it no longer. */
export type Gone = "idle" | "tab" | "reload";

const RECORD = "open"; // the name of the session that goes on, for all tabs
/** The record of the sites that the user has connected in this session: dapps/sites.ts. */
export const SITES = "sites";
/** In sessionStorage: this tab had a session. It is the ticket by which the tab gets it back from the worker, and "" if none is there. */
const MARK = "obverse.open";
const lockName = (id: string) => `obverse-session/${id}`;

let held: Session | null = null;
let release = () => {};
/** Counts endings, so that an answer that was under way knows that it is too late. */
let turn = 0;

/** The secrets of the current session; null without a session. */
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

/** The name of the session that goes on, if one does. */
export const sessionName = (): Promise<string | undefined> => get<string>(RECORD);

/** Why this tab cannot go on with the session that it had; null: it had none. To be asked before openSession. */
export async function whyGone(): Promise<Gone | null> {
  if (!canEncrypt() || sessionStorage.getItem(MARK) === null) {
    return null;
  }
  return isOver() ? "idle" : (await get(RECORD)) === undefined ? "tab" : "reload";
}

/** Looks for a session in the tabs that hold its lock, then where this tab left it. */
async function find(id: string): Promise<Secrets | null> {
  const { held: locks = [] } = await navigator.locks.query();
  const fromTab = locks.some(({ name }) => name === lockName(id)) ? await askTabs(id) : null;
  const ticket = sessionStorage.getItem(MARK);
  return fromTab ?? (ticket ? claim(id, ticket) : null);
}

/** Begins a session with these secrets. Other tabs can ask for them then. */
export async function keepSession(secrets: Secrets): Promise<void> {
  const id = crypto.randomUUID?.() ?? "";
  await join({ id, secrets: { ...secrets } });
  if (canEncrypt()) {
    await put(RECORD, id);
  }
}

/** Leaves the session, which another tab has ended. That tab removes its name: by now there may be a new one. */
export function leaveSession() {
  turn++;
  held = null;
  release();
  sessionStorage.removeItem(MARK);
}

/**
 * Leaves the session as the page goes, for its reload.
 * @param stays the browser keeps the page for its back button, where it asks other tabs or for the password
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

/** Ends the session: secrets of it that are still somewhere are not used again. */
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
