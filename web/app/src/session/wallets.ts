/**
 * The wallets in this page: adding, switching, renaming and removing them. Each has a separate vault, data and settings.
 * At most one is in use and open. All are in one record, so that no operation can lose one of them.
 */

import { forgetAll, forgetOf } from "../memory.ts";
import * as node from "../node.ts";
import { forgetWrong } from "./attempts.ts";
import { lockAway } from "./crypto.ts";
import { get, NAME } from "./db.ts";
import { isSame, walletsOf } from "./join.ts";
import { closeSession, keepSession, openSession } from "./kept.ts";
import { accountOf, rootOf, idOf, isSibling, newId, pageSecret, secretsOf, settingsName, storeOf, withOrigin, type PageSecret, type PageWallet, type Profile } from "./profile.ts";
import { reveal } from "./reveal.ts";
import { announceOpened, begin, lockedBy, phase, profile, restart, save, store } from "./session.ts";
import { tell } from "./tabs.ts";
import { removeStore, removeStores } from "./wipe.ts";
import { removeWorker } from "./worker.ts";

export { walletsOf };

/** Number of colours. */
export const COLOURS = 6;

/** Maximum length of a name in characters. */
export const LONGEST_NAME = 30;

/** Returns the profile with a wallet in use. The wallet is new or replaces its record. */
function withWallet(before: Profile | null, wallet: PageWallet): Profile {
  if (walletsOf(before).some((other) => idOf(other) === idOf(wallet) && !isSame(other, wallet))) {
    throw new Error("another wallet has this id");
  }
  const others = walletsOf(before).filter((other) => idOf(other) !== idOf(wallet));
  const { others: _, ...rest } = before ?? {};
  return alike(withOrigin({ ...rest, use: "page", page: wallet, ...(others.length > 0 && { others }) }));
}

/** Returns the profile with the same password, passkeys and reminder for all accounts of the wallet in use. */
function alike(now: Profile): Profile {
  const { page, others } = now;
  if (!page || !others) {
    return now;
  }
  const { vault, passkeys, unsaved } = page;
  const shared = { ...(vault && { vault }), ...(passkeys && { passkeys }), ...(unsaved && { unsaved }) };
  return { ...now, others: others.map((other) => (isSibling(other, page) ? { ...without(other), ...shared } : other)) };
}

/** Returns the settings of a new wallet other than its keys. The first wallet has no such settings: its records have the format for a single wallet. */
function fresh(all: PageWallet[], name: string): Partial<PageWallet> {
  if (all.length === 0) {
    return {};
  }
  const used = all.map(({ colour = 0 }) => colour);
  const free = Array.from({ length: COLOURS }, (_, n) => n).find((n) => !used.includes(n));
  return { id: newId(), name, made: Math.max(Date.now(), ...all.map(({ made = 0 }) => made + 1)), colour: free ?? all.length % COLOURS };
}

/**
 * Stores a profile with another wallet or node in use, ends the session of the former one in all tabs, and starts. If the profile
 * cannot be stored, the former wallet stays open.
 * @param secret the secret of the wallet; without it, the wallet is locked if it has one
 */
async function move(to: (before: Profile | null) => Profile, secret?: PageSecret): Promise<void> {
  const now = await store(to);
  tell("stop");
  await node.stop();
  await closeSession().catch(() => {}); // what stays in the storage belongs to the former wallet
  tell("left");
  profile.value = now;
  lockedBy.value = null;
  if (secret) {
    await keepSession(secretsOf(now, { page: secret }));
  } else if (phase.peek() === "open") {
    phase.value = "starting";
  }
  await begin();
  announceOpened();
}

/**
 * Adds a wallet and opens it; the password opens it from now on. If the wallet exists, only its password
 * changes and its data stay.
 * @param name the name, unless it is the first wallet
 * @param unsaved whether the user writes the recovery phrase down later
 * @throws the node's error if it does not accept the secret
 */
export async function createWallet(secret: PageSecret, password: string, name: string, unsaved = false): Promise<void> {
  const publicKey = await node.publicKeyOf(secret);
  const vault = await lockAway(password, secret);
  await move((before) => {
    const all = walletsOf(before);
    const same = all.find((wallet) => wallet.publicKey === publicKey && accountOf(wallet) === 0);
    return withWallet(before, { ...(same ? sealedAnew(same) : fresh(all, name)), kind: "passphrase", vault, publicKey, ...(unsaved && { unsaved }) });
  }, secret);
  await forgetWrong(rootOf(profile.peek()?.page));
}

/** Returns a wallet without its former vault and passkeys, which have the key of that vault. */
function sealedAnew({ vault: _, passkeys: __, ...rest }: PageWallet): PageWallet {
  return rest;
}

/** Returns the wallet without the reminder. */
function without(wallet: PageWallet): PageWallet {
  const { unsaved: _, ...rest } = sealedAnew(wallet);
  return rest;
}

/**
 * Adds an account of the recovery phrase of the wallet in use, and opens it. It has the same password, but separate data
 * and settings.
 */
export async function addAccount(name: (number: number) => string): Promise<void> {
  const page = profile.peek()?.page;
  const secret = await phraseInUse();
  if (!page || !secret) {
    throw new Error("the wallet in use has no recovery phrase");
  }
  await move((before) => {
    const all = walletsOf(before);
    const taken = all.filter((other) => isSibling(other, page) || rootOf(other) === rootOf(page)).map(accountOf);
    const number = taken.findIndex((_, n) => !taken.includes(n + 1)) + 1;
    const { vault, publicKey, passkeys } = page;
    return withWallet(before, { ...fresh(all, name(number + 1)), id: `${rootOf(page)}+${number}`, kind: "passphrase", ...(vault && { vault }), ...(publicKey && { publicKey }), ...(passkeys && { passkeys }), ...(page.unsaved && { unsaved: true }) });
  }, secret);
}

/** Returns the secret of the wallet in use, if it is open and a recovery phrase, which has accounts. */
export async function phraseInUse(): Promise<PageSecret | null> {
  const now = profile.peek();
  const secret = now?.use === "page" ? pageSecret(now, await openSession()) : undefined;
  return secret?.hd ? secret : null;
}

/** Changes the wallet in use. */
export const changeCurrent = async (change: (wallet: PageWallet) => PageWallet, id = idOf(profile.peek()?.page)): Promise<void> => void (await save((before) => alike({ ...(before as Profile), page: change(same(before, id)) })));

/** Returns the wallet in use if its id is still the given one. */
function same(before: Profile | null, id: string): PageWallet {
  if (!before?.page || idOf(before.page) !== id) {
    throw new Error("another tab has switched to another wallet meanwhile: reload the page");
  }
  return before.page;
}

/** Adds a wallet whose keys are in another wallet, not in the page's node. There is at most one, since the keys are chosen for each coin. */
export async function useExternal(name: string): Promise<void> {
  await move((before) => {
    const all = walletsOf(before);
    return withWallet(before, all.find(({ kind }) => kind === "external") ?? { kind: "external", ...fresh(all, name) });
  });
}

/** Adds a wallet that watches an address and cannot send. */
export async function watchAddress(watched: string, name: string): Promise<void> {
  await move((before) => {
    const all = walletsOf(before);
    const known = all.find((wallet) => wallet.watched === watched);
    return withWallet(before, known ?? { id: newId(), made: Date.now(), colour: all.length % COLOURS, ...fresh(all, name), name, kind: "watch", watched });
  });
}

/** Locks the wallet in use, in all tabs, and switches to another one, which has to be unlocked if it has a password. Between accounts of one wallet nothing is locked. */
export async function switchTo(id: string): Promise<void> {
  const now = profile.peek();
  const secret = isSibling(now?.page, found(now, id)) ? await phraseInUse() : null;
  await move((before) => withWallet(before, found(before, id)), secret ?? undefined);
}

/** Locks the wallet in use, in all tabs, and switches to the native node. */
export const switchToNative = (): Promise<void> => move((before) => ({ ...(before as Profile), use: "native" }));

/** Returns a wallet. It throws an error if another tab has removed it. */
function found(of: Profile | null, id: string): PageWallet {
  const wallet = walletsOf(of).find((one) => idOf(one) === id);
  if (!wallet) {
    throw new Error("this wallet was removed in another tab");
  }
  return wallet;
}

/** Changes the name and the colour of a wallet. */
export async function changeWallet(id: string, look: { name: string; colour: number }): Promise<void> {
  await save((before) => {
    found(before, id);
    const change = (wallet: PageWallet) => (idOf(wallet) === id ? { ...wallet, ...look } : wallet);
    return { ...(before as Profile), ...(before?.page && { page: change(before.page) }), ...(before?.others && { others: before.others.map(change) }) };
  });
}

/** Returns the profile as it is stored: another tab may have added a wallet. If the browser has deleted the records, it is that of this tab. */
const stored = async (): Promise<Profile | null> => (await get<Profile>("profile")) ?? profile.peek();

/**
 * Removes a wallet with its data and settings. If it is in use, another one is in use afterwards; after the last
 * one, the page is as new, or uses the native node. The record is removed last: after an earlier failure the wallet still opens.
 */
export async function removeWallet(id: string): Promise<void> {
  await store((before) => before as Profile); // a wallet that only this tab has is not the only one
  const now = await stored();
  const wallet = found(now, id);
  const isUsed = [now, profile.peek()].some((one) => one?.use === "page" && idOf(one.page) === id);
  const rest = walletsOf(now).filter((one) => one !== wallet);
  if (rest.length === 0 && !now?.native) {
    return wipe();
  }
  const removed = (before: Profile | null): Profile => {
    const left = walletsOf(before).filter((one) => idOf(one) !== id);
    const { page, others: _, ...other } = before as Profile;
    const next = page && idOf(page) !== id ? page : left[0];
    const others = left.filter((one) => one !== next);
    return { ...other, use: next ? other.use : "native", ...(next && { page: next }), ...(others.length > 0 && { others }) };
  };
  try {
    if (isUsed) {
      tell("stop");
      await node.stop();
    }
    await removeStore(storeOf(wallet));
    forgetOf(settingsName(wallet));
    await (isUsed ? move(removed) : save(removed));
  } catch (error) {
    if (isUsed) {
      announceOpened();
      await begin();
    }
    throw error;
  }
  if (!rest.some((other) => rootOf(other) === rootOf(wallet))) {
    await forgetWrong(rootOf(wallet));
  }
}

/** Changes the password of the wallet in use. The error is a WrongPassword. */
export async function changePassword(old: string, password: string): Promise<void> {
  const id = idOf(profile.peek()?.page);
  const vault = await lockAway(password, await reveal(old));
  await changeCurrent((wallet) => ({ ...sealedAnew(wallet), vault }), id);
}

/** Replaces the data of the node in this page with an export, for all tabs. */
export async function replaceData(data: Uint8Array): Promise<void> {
  await node.connection.peek()?.page?.import(data);
  node.replaced.value++;
  tell("replaced");
}

/**
 * Deletes all data of this page in the browser, in all tabs, and starts again. A native
 * node and its data are not affected. If something fails, the remaining data stay usable.
 */
export async function wipe(): Promise<void> {
  tell("wiping");
  tell("stop");
  await node.stop();
  try {
    await removeStores([storeOf(undefined), ...[await stored(), profile.peek()].flatMap(walletsOf).map(storeOf)]);
    await closeSession();
    await removeWorker();
    await (await import("./scrub.ts")).scrub(NAME);
    forgetAll();
  } catch (error) {
    tell("opened");
    await begin();
    throw error;
  }
  tell("wiped");
  restart();
}

/** Restarts the node in this page, in all tabs, after its settings have changed. */
export async function restartNode(): Promise<void> {
  tell("stop");
  await node.stop();
  if (profile.peek() && phase.peek() === "open") {
    await begin();
    announceOpened();
  }
}

/** Switches to the other node; the password is required if the session does not have it. */
export async function use(which: Profile["use"]): Promise<void> {
  await save((before) => ({ ...(before as Profile), use: which }));
  await node.stop();
  await begin();
  announceOpened();
}
