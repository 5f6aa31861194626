/**
 * The wallets in this page: adding, switching, renaming and removing them. Each has a vault, data and settings of its
 * own. One is in use, and open at most; the page keeps all in one record, so that no step leaves one of them out.
 */

import { forgetAll, forgetOf } from "../memory.ts";
import * as node from "../node.ts";
import { forgetWrong } from "./attempts.ts";
import { lockAway } from "./crypto.ts";
import { NAME } from "./db.ts";
import { closeSession, openSession } from "./kept.ts";
import { accountOf, rootOf, idOf, isSibling, settingsName, storeOf, type PageSecret, type PageWallet, type Profile } from "./profile.ts";
import { announceOpened, begin, lockedBy, open, phase, profile, restart, reveal, save } from "./session.ts";
import { tell } from "./tabs.ts";
import { removeStore, removeStores } from "./wipe.ts";
import { removeWorker } from "./worker.ts";

/** How many colours there are. */
export const COLOURS = 6;

/** The longest name, in letters. */
export const LONGEST_NAME = 30;

/** All wallets in this page, in the order in which they were added. */
export const walletsOf = (of: Profile | null): PageWallet[] => [...(of?.page ? [of.page] : []), ...(of?.others ?? [])].sort((a, b) => (a.made ?? 0) - (b.made ?? 0));

/** The profile with a wallet in use, which is a new one or takes the place of the one with its id. */
function withWallet(before: Profile | null, wallet: PageWallet): Profile {
  const others = walletsOf(before).filter((other) => idOf(other) !== idOf(wallet));
  const { others: _, ...rest } = before ?? {};
  return alike({ ...rest, use: "page", page: wallet, ...(others.length > 0 && { others }) });
}

/** The profile with one password, its passkeys and one reminder for all accounts of the wallet in use. */
function alike(now: Profile): Profile {
  const { page, others } = now;
  if (!page || !others) {
    return now;
  }
  const { vault, passkeys, unsaved } = page;
  const shared = { ...(vault && { vault }), ...(passkeys && { passkeys }), ...(unsaved && { unsaved }) };
  return { ...now, others: others.map((other) => (isSibling(other, page) ? { ...without(other), ...shared } : other)) };
}

const newId = () => Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => byte.toString(16).padStart(2, "0")).join("");

/** Settings of a new wallet besides its keys. The first wallet has none: its records are in the format for a single wallet. */
function fresh(all: PageWallet[], name: string): Partial<PageWallet> {
  if (all.length === 0) {
    return {};
  }
  const used = all.map(({ colour = 0 }) => colour);
  const free = Array.from({ length: COLOURS }, (_, n) => n).find((n) => !used.includes(n));
  return { id: newId(), name, made: Math.max(Date.now(), ...all.map(({ made = 0 }) => made + 1)), colour: free ?? all.length % COLOURS };
}

/** Ends the session and the node of the wallet in use, in all tabs. */
async function leave(): Promise<void> {
  tell("stop");
  await node.stop();
  await closeSession();
}

/**
 * Adds a wallet, which the password opens from now on, and opens it. Of one that is here already only the password
 * becomes another one: its data stay.
 * @param name of a wallet that is not the first
 * @param unsaved the user writes the recovery phrase down later
 * @throws what a node says of the secret
 */
export async function createWallet(secret: PageSecret, password: string, name: string, unsaved = false): Promise<void> {
  const publicKey = await node.publicKeyOf(secret);
  const vault = await lockAway(password, secret);
  await leave();
  const isSame = (wallet: PageWallet) => wallet.publicKey === publicKey && accountOf(wallet) === 0;
  await forgetWrong(rootOf(walletsOf(profile.peek()).find(isSame)));
  await open(
    (before) => {
      const all = walletsOf(before);
      const same = all.find(isSame);
      return withWallet(before, { ...(same ? sealedAnew(same) : fresh(all, name)), kind: "passphrase", vault, publicKey, ...(unsaved && { unsaved }) });
    },
    { page: secret },
  );
}

/** A wallet without what its former vault had: a passkey has the key of that one. */
function sealedAnew({ vault: _, passkeys: __, ...rest }: PageWallet): PageWallet {
  return rest;
}

/** The same without the reminder. */
function without(wallet: PageWallet): PageWallet {
  const { unsaved: _, ...rest } = sealedAnew(wallet);
  return rest;
}

/**
 * Adds an account of the recovery phrase of the wallet in use, and opens it. It has the same password, and data and
 * settings of its own.
 */
export async function addAccount(name: (number: number) => string): Promise<void> {
  const page = profile.peek()?.page;
  const secret = await phraseInUse();
  if (!page || !secret) {
    throw new Error("the wallet in use has no recovery phrase");
  }
  await leave();
  await open(
    (before) => {
      const all = walletsOf(before);
      const taken = all.filter((other) => isSibling(other, page)).map(accountOf);
      const number = taken.findIndex((_, n) => !taken.includes(n + 1)) + 1;
      const { vault, publicKey, passkeys } = page;
      return withWallet(before, { ...fresh(all, name(number + 1)), id: `${rootOf(page)}+${number}`, kind: "passphrase", ...(vault && { vault }), ...(publicKey && { publicKey }), ...(passkeys && { passkeys }), ...(page.unsaved && { unsaved: true }) });
    },
    { page: secret },
  );
}

/** The secret of the wallet in use, if it is open and a recovery phrase, which has accounts. */
export async function phraseInUse(): Promise<PageSecret | null> {
  const secret = profile.peek()?.use === "page" ? (await openSession())?.page : undefined;
  return secret?.hd ? secret : null;
}

/** Changes the wallet in use. */
export const changeCurrent = async (change: (wallet: PageWallet) => PageWallet, id = idOf(profile.peek()?.page)): Promise<void> => void (await save((before) => alike({ ...(before as Profile), page: change(same(before, id)) })));

/** The wallet in use, if it is still the one that is meant. */
function same(before: Profile | null, id: string): PageWallet {
  if (!before?.page || idOf(before.page) !== id) {
    throw new Error("another tab has switched to another wallet meanwhile: reload the page");
  }
  return before.page;
}

/** The keys are in another wallet: the node in this page does not have them. One such wallet is enough, since its keys are chosen coin by coin. */
export async function useExternal(name: string): Promise<void> {
  await leave();
  await open((before) => {
    const all = walletsOf(before);
    return withWallet(before, all.find(({ kind }) => kind === "external") ?? { kind: "external", ...fresh(all, name) });
  }, {});
}

/** Adds a wallet that looks at an address and cannot send. */
export async function watchAddress(watched: string, name: string): Promise<void> {
  await leave();
  await open((before) => {
    const all = walletsOf(before);
    const known = all.find((wallet) => wallet.watched === watched);
    return withWallet(before, known ?? { id: newId(), made: Date.now(), colour: all.length % COLOURS, ...fresh(all, name), name, kind: "watch", watched });
  }, {});
}

/** Locks the wallet in use, in all tabs, and goes to another one, which has to be unlocked if it has a password; between accounts of one wallet nothing is locked. */
export async function switchTo(id: string): Promise<void> {
  const now = profile.peek();
  const secret = isSibling(now?.page, found(now, id)) ? await phraseInUse() : null;
  await leave();
  if (secret) {
    return open((before) => withWallet(before, found(before, id)), { page: secret });
  }
  await save((before) => withWallet(before, found(before, id)));
  await start();
}

/** Locks the wallet in use, in all tabs, and goes to the native node. */
export async function switchToNative(): Promise<void> {
  await leave();
  await save((before) => ({ ...(before as Profile), use: "native" }));
  await start();
}

async function start(): Promise<void> {
  lockedBy.value = null;
  phase.value = "starting";
  await begin();
  announceOpened();
}

/** A wallet that another tab has removed meanwhile is an error. */
function found(of: Profile | null, id: string): PageWallet {
  const wallet = walletsOf(of).find((one) => idOf(one) === id);
  if (!wallet) {
    throw new Error("this wallet was removed in another tab");
  }
  return wallet;
}

/** Changes what a wallet is called and looks like. */
export async function changeWallet(id: string, look: { name: string; colour: number }): Promise<void> {
  await save((before) => {
    found(before, id);
    const change = (wallet: PageWallet) => (idOf(wallet) === id ? { ...wallet, ...look } : wallet);
    return { ...(before as Profile), ...(before?.page && { page: change(before.page) }), ...(before?.others && { others: before.others.map(change) }) };
  });
  tell("looks");
}

/**
 * Removes a wallet with its data and settings. When it is the one in use, another one is from then on; after the last
 * one the page is as new, or at the native node. Its record goes last: what fails before leaves a wallet that opens.
 */
export async function removeWallet(id: string): Promise<void> {
  const now = profile.peek();
  const wallet = found(now, id);
  const isUsed = now?.use === "page" && idOf(now.page) === id;
  if (isUsed) {
    await leave();
  }
  await removeStore(storeOf(wallet));
  forgetOf(settingsName(wallet));
  if (!walletsOf(now).some((other) => other !== wallet && rootOf(other) === rootOf(wallet))) {
    await forgetWrong(rootOf(wallet));
  }
  const rest = walletsOf(now).filter((one) => one !== wallet);
  if (rest.length === 0 && !now?.native) {
    return wipe();
  }
  await save((before) => {
    const left = walletsOf(before).filter((one) => idOf(one) !== id);
    const { page, others: _, ...other } = before as Profile;
    const next = page && idOf(page) !== id ? page : left[0];
    const others = left.filter((one) => one !== next);
    return { ...other, use: next ? other.use : "native", ...(next && { page: next }), ...(others.length > 0 && { others }) };
  });
  if (isUsed) {
    await start();
  }
}

/** Has another password open the wallet. Its error is a WrongPassword. */
export async function changePassword(old: string, password: string): Promise<void> {
  const id = idOf(profile.peek()?.page);
  const vault = await lockAway(password, await reveal(old));
  await changeCurrent((wallet) => ({ ...sealedAnew(wallet), vault }), id);
}

/**
 * Deletes all that this page has in the browser, in all tabs, and starts again. A native
 * node and what it has are left alone. When something fails, what is left works on.
 */
export async function wipe(): Promise<void> {
  tell("stop");
  await node.stop();
  try {
    await removeStores([storeOf(undefined), ...walletsOf(profile.peek()).map(storeOf)]);
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
