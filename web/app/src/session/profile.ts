/** The user's wallets in this browser. */

import type { Sealed, Vault } from "./crypto.ts";

/** A passkey that opens a wallet's vault as an alternative to the password. */
export interface Passkey {
  /** The id of the credential. */
  id: Uint8Array<ArrayBuffer>;
  /** The salt of the secret. */
  salt: Uint8Array<ArrayBuffer>;
  /** The vault's key, encrypted with the secret that the authenticator derives from the salt. */
  key: Sealed;
  /** When it was added, in ms since 1970. */
  made: number;
}

/** A wallet in this page. */
export interface PageWallet {
  /** "external": another wallet holds the keys; "watch": an address without its key. Neither has anything to encrypt. */
  kind: "passphrase" | "external" | "watch";
  /** The watched address. */
  watched?: string;
  vault?: Vault;
  /** Identifies the wallet when its recovery phrase is restored again. */
  publicKey?: string;
  /** Absent for the first wallet of the browser. An account has the id of its wallet, "+" and the account's number. */
  id?: string;
  /** Absent if the user has not given one. */
  name?: string;
  /** The index of its colour, --shade0 to --shade5. */
  colour?: number;
  /** When it was added, in ms since 1970; absent in records of versions with one wallet. */
  made?: number;
  passkeys?: Passkey[];
  /** Whether the user still has to write down the recovery phrase. */
  unsaved?: boolean;
}

/** A native node that the user connected to. */
export interface NativeNode {
  url: string;
  /** The daemon API of the node, if the user has entered it. */
  daemon?: { url: string; user: string };
}

export interface Profile {
  /** Which of them is in use. */
  use: "page" | "native";
  /** The page's wallet in use, now or before the native node was chosen. */
  page?: PageWallet;
  /** The other wallets in this page. */
  others?: PageWallet[];
  native?: NativeNode;
  /** A random text from when the browser first stored a profile; absent in records of earlier versions. */
  origin?: string;
}

/** Returns a profile that is stored for the first time with an origin, unless it has one. */
export const withOrigin = (profile: Profile): Profile => ({ origin: newId(), ...profile });

/** Returns a random id of a wallet or a profile. */
export const newId = () => Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => byte.toString(16).padStart(2, "0")).join("");

/** Returns the id of a wallet. */
export const idOf = (wallet: PageWallet | undefined): string => wallet?.id ?? "";

/** Returns the account index of a wallet by BIP 44; 0 for the first. */
export const accountOf = (wallet: PageWallet | undefined): number => Number(idOf(wallet).split("+")[1] ?? 0);

/** Returns the id that the accounts of a wallet share. */
export const rootOf = (wallet: PageWallet | undefined): string => idOf(wallet).replace(/\+.*/, "");

/** Reports whether two wallets are accounts of one recovery phrase, which the same password opens. */
export const isSibling = (one: PageWallet | undefined, other: PageWallet | undefined): boolean => one?.publicKey !== undefined && one.publicKey === other?.publicKey;

/** Returns the name of a wallet's settings in this browser. */
export const settingsName = (wallet: PageWallet | undefined): string => (wallet?.publicKey ?? wallet?.id ?? "external").slice(0, 16) + (accountOf(wallet) ? `+${accountOf(wallet)}` : "");

/** Returns the name of the store with a wallet's data. The first wallet keeps the name from versions with one wallet. */
export const storeOf = (wallet: PageWallet | undefined): string => ["obverse", wallet?.id].filter(Boolean).join("-");

/** The secret of a wallet in this page. */
export interface PageSecret {
  passphrase: string;
  /** Whether the passphrase is a mnemonic from which each coin's keys are derived. */
  hd: boolean;
}

/** The secret of a native node. */
export interface NativeSecret {
  password: string;
  /** The password of the daemon API; without it tokens are not available. */
  daemonPassword?: string;
}

/** A secret with the wallet or the node that it belongs to: another tab may switch to another one at any time. */
type Of<T> = T & { of: string };

/** The secrets of a session. */
export interface Secrets {
  page?: Of<PageSecret>;
  native?: Of<NativeSecret>;
}

/** A wallet or node that was opened, until it is locked. */
export interface Session {
  id: string;
  secrets: Secrets;
}

/** Returns a text that identifies a native node and its settings. */
export const nodeName = (native: NativeNode | undefined): string => JSON.stringify([native?.url, native?.daemon?.url, native?.daemon?.user]);

/** Returns secrets as those of the wallet and the node of a profile. */
export const secretsOf = (now: Profile, { page, native }: { page?: PageSecret; native?: NativeSecret }): Secrets => ({
  ...(page && { page: { ...page, of: idOf(now.page) } }),
  ...(native && { native: { ...native, of: nodeName(now.native) } }),
});

/** Returns the secret of the wallet of a profile; undefined if the session has no secret for this wallet. */
export const pageSecret = (now: Profile | null, secrets: Secrets | null): PageSecret | undefined => (secrets?.page?.of === idOf(now?.page) ? secrets.page : undefined);

/** Returns the secret of the native node of a profile; undefined if the session has no secret for this node. */
export const nativeSecret = (now: Profile | null, secrets: Secrets | null): NativeSecret | undefined => (secrets?.native?.of === nodeName(now?.native) ? secrets.native : undefined);

/** Reports whether the wallet or node in use needs a secret that is missing. */
export function isLocked(now: Profile, secrets: Secrets): boolean {
  const { use, page } = now;
  return use === "native" ? !nativeSecret(now, secrets) : page?.kind !== "external" && page?.kind !== "watch" && !pageSecret(now, secrets);
}
