/** What this browser knows of its user's wallet. */

import type { Sealed, Vault } from "./crypto.ts";

/** A passkey that opens a wallet's vault as an alternative to the password. */
export interface Passkey {
  /** Of the credential. */
  id: Uint8Array<ArrayBuffer>;
  /** What the authenticator makes its secret of. */
  salt: Uint8Array<ArrayBuffer>;
  /** The vault's key, encrypted under that secret. */
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
  /** Absent: the first wallet of the browser. That of another account of a wallet is the wallet's, "+" and the account's number. */
  id?: string;
  /** Absent: the user has given it none. */
  name?: string;
  /** One of the colours --shade0 to --shade5. */
  colour?: number;
  /** When it was added, in ms since 1970; absent: before there were several. */
  made?: number;
  passkeys?: Passkey[];
  /** The user wants to write the recovery phrase down later. */
  unsaved?: boolean;
}

/** A native node that the user connected to. */
export interface NativeNode {
  url: string;
  /** The daemon API of the node, if the user has entered it. */
  daemon?: { url: string; user: string };
}

export interface Profile {
  /** Which one is in use. */
  use: "page" | "native";
  /** The wallet that is in use, or was when the native node began to be. */
  page?: PageWallet;
  /** The other wallets in this page. */
  others?: PageWallet[];
  native?: NativeNode;
}

/** The id of a wallet among the others. */
export const idOf = (wallet: PageWallet | undefined): string => wallet?.id ?? "";

/** Which account of its recovery phrase a wallet is, by BIP 44; 0: the first. */
export const accountOf = (wallet: PageWallet | undefined): number => Number(idOf(wallet).split("+")[1] ?? 0);

/** The id that a wallet's accounts share. */
export const rootOf = (wallet: PageWallet | undefined): string => idOf(wallet).replace(/\+.*/, "");

/** Whether two are accounts of one recovery phrase, which the same password opens. */
export const isSibling = (one: PageWallet | undefined, other: PageWallet | undefined): boolean => one?.publicKey !== undefined && one.publicKey === other?.publicKey;

/** Under what name a wallet's settings are in this browser. */
export const settingsName = (wallet: PageWallet | undefined): string => (wallet?.publicKey ?? wallet?.id ?? "external").slice(0, 16) + (accountOf(wallet) ? `+${accountOf(wallet)}` : "");

/** The name of the store that has a wallet's data. The first one's has had the same name since there was one only. */
export const storeOf = (wallet: PageWallet | undefined): string => ["obverse", wallet?.id].filter(Boolean).join("-");

/** What opens a wallet in this page. */
export interface PageSecret {
  passphrase: string;
  /** The passphrase is a mnemonic, and each coin has keys of its own. */
  hd: boolean;
}

/** What opens a native node. */
export interface NativeSecret {
  password: string;
  /** Of the daemon API; without it tokens cannot be used. */
  daemonPassword?: string;
}

/** The secrets of a session. */
export interface Secrets {
  page?: PageSecret;
  native?: NativeSecret;
}

/** Whether the part of the profile that is in use needs a secret that is not there. */
export function isLocked({ use, page }: Profile, secrets: Secrets): boolean {
  return use === "native" ? !secrets.native : page?.kind !== "external" && page?.kind !== "watch" && !secrets.page;
}
