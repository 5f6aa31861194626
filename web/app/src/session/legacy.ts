/**
 * Until November 2026 the page stored the key of an open session next to the data it encrypts,
 * and a browser retains deleted records for a while. This moves the wallet to another
 * database and removes the old one as far as a page can.
 */

import { EXPOSED, get, OLD_NAME, openExisting, put, read, update } from "./db.ts";
import { joined } from "./join.ts";
import { withOrigin, type Profile } from "./profile.ts";
import { scrub } from "./scrub.ts";

/** Migrates the wallet once. An interrupted migration is repeated at the next start. */
export const migrate = async (): Promise<void> => (navigator.locks ? navigator.locks.request("obverse-migrate", move) : move());

async function move(): Promise<void> {
  const old = await openExisting(OLD_NAME);
  if (!old) {
    return;
  }
  try {
    const profile = await read<Profile>(old, "profile");
    if (profile?.use) {
      await update<Profile>("profile", (now) => (now ? joined(now, profile) : withOrigin(profile))); // another tab may have run the earlier version afterwards
    }
    if (profile?.page?.kind === "passphrase" || profile?.native || (await read(old, "session"))) {
      await put(EXPOSED, true);
    }
    const attempts = await read(old, "attempts");
    if (attempts !== undefined && (await get("attempts")) === undefined) {
      await put("attempts", attempts);
    }
  } finally {
    old.close();
  }
  await scrub(OLD_NAME);
}
