/**
 * Removes a database so that little of it remains in the browser's files. Chromium appends changes to a log. When a database is
 * deleted it writes the log out as a table, merges the tables that have records of that database, and deletes those that it
 * merged before. But it does not write the log out if something else is stored in the same moment. So the new values of the records
 * are written out before the deletion merges them with the old ones, and nothing is stored for a while after each deletion.
 * Firefox and Safari delete the database's file. No page can overwrite the disk.
 */

import { make, openExisting, removeDatabase, settle, STORE, write } from "./db.ts";

const EMPTY = "obverse-empty";
const PAUSE = 200; // ms in which a busy browser merges tables

const random = (length: number) => crypto.getRandomValues(new Uint8Array(Math.min(length, 65_536)));

/** Returns the approximate size of a record in bytes. */
function sizeOf(value: unknown): number {
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) {
    return value.byteLength;
  }
  const parts = value !== null && typeof value === "object" ? Object.values(value) : [];
  return parts.reduce((sum: number, part) => sum + sizeOf(part), 64);
}

/** Overwrites all records of a database and deletes it, if it exists. */
export async function scrub(name: string): Promise<void> {
  const db = await openExisting(name);
  if (!db) {
    return;
  }
  try {
    await tidy(); // the old values become a table, with which others are merged
    const records = db.transaction(STORE).objectStore(STORE);
    const [keys, values] = await Promise.all([settle(records.getAllKeys()), settle(records.getAll())]);
    await write(db, (store) => keys.forEach((key, n) => store.put(random(sizeOf(values[n])), key)));
    await tidy();
    await tidy();
  } finally {
    db.close();
  }
  await removeAlone(name);
  await tidy();
  await tidy(); // tables merged by the first call may still be readable
}

async function tidy(): Promise<void> {
  (await make(EMPTY)).close();
  await removeAlone(EMPTY);
}

/** Deletes a database and returns after its tables were merged. */
async function removeAlone(name: string): Promise<void> {
  await removeDatabase(name);
  await new Promise((resolve) => setTimeout(resolve, PAUSE));
}
