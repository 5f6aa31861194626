/**
 * Until November 2026 the page stored the key of an open session next to the data it encrypts,
 * and a browser retains deleted records for a while. This moves the wallet to another
 * database and removes the old one as far as a page can.
 */

import { EXPOSED, get, OLD_NAME, openExisting, put, read, update } from "./db.ts";
import { accountOf, idOf, type PageWallet, type Profile } from "./profile.ts";
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
      await update<Profile>("profile", (now) => (now ? joined(now, profile) : profile));
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

const walletsOf = ({ page, others = [] }: Profile): PageWallet[] => [...(page ? [page] : []), ...others];

const saltOf = ({ vault }: PageWallet): string | undefined => vault && Array.from(new Uint8Array(vault.salt)).join();

/** Reports whether two records are of the same wallet, whichever passwords they have. */
function isSame(one: PageWallet, other: PageWallet): boolean {
  if (one.publicKey && other.publicKey) {
    return one.publicKey === other.publicKey && accountOf(one) === accountOf(other);
  }
  return one.kind === other.kind && one.watched === other.watched && saltOf(one) === saltOf(other);
}

/**
 * Returns the profile with the wallets of an earlier version, which another tab may have run after the migration. They are not in
 * use, and those with an id in use get another one.
 */
function joined(now: Profile, old: Profile): Profile {
  const all = walletsOf(now);
  for (const wallet of walletsOf(old)) {
    if (!all.some((one) => isSame(one, wallet))) {
      const isTaken = all.some((one) => idOf(one) === idOf(wallet));
      const id = `${Date.now()}-${all.length}${accountOf(wallet) > 0 ? `+${accountOf(wallet)}` : ""}`;
      all.push(isTaken ? { ...wallet, id, made: Date.now() } : wallet);
    }
  }
  const others = all.filter((one) => one !== now.page);
  const native = now.native ?? old.native;
  return { ...now, ...(others.length > 0 && { others }), ...(native && { native }) };
}
