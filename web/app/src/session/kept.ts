/**
 * The session as the browser keeps it: secrets, encrypted under a key that is made for
 * the session and that no script can read. It belongs to this run of the browser: tabs
 * hold a lock as long as it is open, and a tab that is reloaded knows its name.
 */

import { canEncrypt, newKey, seal, unseal, type Sealed } from "./crypto.ts";
import { get, put, remove } from "./db.ts";
import { isOver } from "./idle.ts";
import type { Secrets } from "./profile.ts";

interface Kept {
  id: string;
  key: CryptoKey;
  secrets: Sealed;
}

const MARK = "obverse.session";
const lockName = (id: string) => `obverse-session/${id}`;

/** Where the browser does not let us encrypt, secrets are in memory alone. */
let held: Secrets | null = null;
let release = () => {};

/** The secrets of the session that goes on; null if there is none. */
export async function openSession(): Promise<Secrets | null> {
  if (!canEncrypt()) {
    return held;
  }
  const kept = await get<Kept>("session");
  if (!kept) {
    return null;
  }
  if (isOver() || !(await isAlive(kept.id))) {
    await closeSession();
    return null;
  }
  join(kept.id);
  return unseal<Secrets>(kept.key, kept.secrets);
}

/** Keeps the secrets for reloads and for other tabs. */
export async function keepSession(secrets: Secrets): Promise<void> {
  if (!canEncrypt()) {
    held = secrets;
    return;
  }
  const [id, key] = [crypto.randomUUID(), await newKey()];
  await put("session", { id, key, secrets: await seal(key, secrets) } satisfies Kept);
  join(id);
}

/** Leaves the session, which another tab has ended. That tab forgets it: by now there may be a new one. */
export function leaveSession() {
  held = null;
  release();
  sessionStorage.removeItem(MARK);
}

/** Forgets the session. */
export async function closeSession(): Promise<void> {
  leaveSession();
  if (canEncrypt()) {
    await remove("session");
  }
}

/** Whether this tab had the session before it was reloaded, or another one has it. */
async function isAlive(id: string): Promise<boolean> {
  if (sessionStorage.getItem(MARK) === id) {
    return true;
  }
  const { held: locks = [] } = await navigator.locks.query();
  return locks.some(({ name }) => name === lockName(id));
}

function join(id: string) {
  release();
  sessionStorage.setItem(MARK, id);
  void navigator.locks.request(lockName(id), { mode: "shared" }, () => new Promise<void>((resolve) => (release = resolve)));
}
