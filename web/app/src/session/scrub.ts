/**
 * Removes a database so that little of it remains in the browser's files. Chromium
 * appends changes to a log. When a database is deleted it writes the log out as a table,
 * merges the tables that overlap, and deletes those that it merged before. So one deletion
 * comes before the records are overwritten, for a table to merge with, and others after.
 * Firefox and Safari delete the database's file. No page can overwrite the disk.
 */

import { make, openExisting, removeDatabase, settle, STORE, write } from "./db.ts";

const EMPTY = "obverse-empty";

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
    await tidy();
    const records = db.transaction(STORE).objectStore(STORE);
    const [keys, values] = await Promise.all([settle(records.getAllKeys()), settle(records.getAll())]);
    await write(db, (store) => keys.forEach((key, n) => store.put(random(sizeOf(values[n])), key)));
  } finally {
    db.close();
  }
  await removeDatabase(name);
  await tidy();
  await tidy(); // tables merged by the first call may still be readable
}

async function tidy(): Promise<void> {
  (await make(EMPTY)).close();
  await removeDatabase(EMPTY);
}
