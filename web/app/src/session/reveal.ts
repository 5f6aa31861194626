/** The password of the wallet in use. */

import { countWrong, forgetWrong, waitUntil } from "./attempts.ts";
import { unlock, type Vault } from "./crypto.ts";
import { idOf, rootOf, type PageSecret, type PageWallet } from "./profile.ts";
import { open, profile, refresh } from "./session.ts";

/**
 * The error for a password that was wrong, or that was not checked because of earlier wrong ones;
 * until is the time of the next allowed attempt, in ms since 1970.
 */
export class WrongPassword extends Error {
  constructor(
    readonly until: number,
    readonly tried: boolean,
  ) {
    super("the password is wrong");
  }
}

/**
 * Returns the wallet in use as it is stored: another tab may have changed its password. If the browser has lost the records or cannot read
 * them, it is the wallet as this tab has it, so that its secret can still be saved elsewhere.
 */
export async function currentWallet(): Promise<PageWallet | undefined> {
  await refresh().catch(() => {});
  return profile.peek()?.page;
}

/** Decrypts the secret with the password. The error is a WrongPassword. No result depends on whether the storage is full. */
export async function reveal(password: string): Promise<PageSecret> {
  const wallet = await currentWallet();
  const until = await waitUntil(rootOf(wallet));
  if (until > 0) {
    throw new WrongPassword(until, false);
  }
  const secret = await unlock<PageSecret>(password, wallet?.vault as Vault);
  if (!secret) {
    throw new WrongPassword(await countWrong(rootOf(wallet)), true);
  }
  await forgetWrong(rootOf(wallet));
  return secret;
}

/** Opens the wallet in this page with its secret. */
export async function openPage(secret: PageSecret): Promise<void> {
  const id = idOf(profile.peek()?.page);
  await open(
    (before) => {
      if (!before || idOf(before.page) !== id) {
        throw new Error("another tab has switched to another wallet meanwhile: reload the page");
      }
      return before.use === "page" ? before : { ...before, use: "page" };
    },
    { page: secret },
  );
}

/** Opens the wallet in this page with its password. */
export const unlockPage = async (password: string): Promise<void> => openPage(await reveal(password));
