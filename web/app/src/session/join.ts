/** Adds wallets to those that are stored. */

import { accountOf, isSibling, rootOf, type PageWallet, type Profile } from "./profile.ts";

/** Returns all wallets in this page, in the order in which they were added. */
export const walletsOf = (profileOrNull: Profile | null | undefined): PageWallet[] => [...(profileOrNull?.page ? [profileOrNull.page] : []), ...(profileOrNull?.others ?? [])].sort((a, b) => (a.made ?? 0) - (b.made ?? 0));

const saltOf = ({ vault }: PageWallet): string => Array.from(new Uint8Array(vault?.salt ?? []), (byte) => byte.toString(16).padStart(2, "0")).join("");

/** Reports whether two records are of the same wallet, whichever passwords they have. */
export function isSame(one: PageWallet, other: PageWallet): boolean {
  if (one.publicKey && other.publicKey) {
    return one.publicKey === other.publicKey && accountOf(one) === accountOf(other);
  }
  return one.kind === other.kind && one.watched === other.watched && saltOf(one) === saltOf(other);
}

/**
 * Returns a profile in which no wallet has the id of another wallet of now, or of one of its accounts. A wallet gets the same new id in all
 * tabs, and so do all its accounts.
 */
export function apart(profile: Profile, now: Profile): Profile {
  const taken = walletsOf(now);
  const change = (wallet: PageWallet): PageWallet => {
    const isTaken = taken.some((one) => rootOf(one) === rootOf(wallet) && !isSibling(one, wallet) && !isSame(one, wallet));
    const root = (wallet.publicKey ?? saltOf(wallet)).slice(0, 16) || Date.now();
    return isTaken ? { ...wallet, id: `${root}${accountOf(wallet) > 0 ? `+${accountOf(wallet)}` : ""}`, made: Date.now() } : wallet;
  };
  const { page, others } = profile;
  return { ...profile, ...(page && { page: change(page) }), ...(others && { others: others.map(change) }) };
}

/** Returns the profile with the wallets of another one, which are not in use. */
export function joined(now: Profile, other: Profile): Profile {
  const all = walletsOf(now);
  for (const wallet of walletsOf(apart(other, now))) {
    all.some((one) => isSame(one, wallet)) || all.push(wallet);
  }
  const others = all.filter((one) => one !== now.page);
  const native = now.native ?? other.native;
  return { ...now, ...(others.length > 0 && { others }), ...(native && { native }) };
}
