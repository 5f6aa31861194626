/** What this browser knows of its user's wallet. */

import type { Vault } from "./crypto.ts";

/** A wallet in this page. */
export interface PageWallet {
  /** "external": the keys are in another wallet, and there is nothing to encrypt. */
  kind: "passphrase" | "external";
  vault?: Vault;
  /** Tells whether words that are restored are those of the data in this browser. */
  publicKey?: string;
}

/** A native node that the user connected to. */
export interface NativeNode {
  url: string;
  /** Interface A of the node, if the user told of it. */
  daemon?: { url: string; user: string };
}

export interface Profile {
  /** Which one is in use. */
  use: "page" | "native";
  page?: PageWallet;
  native?: NativeNode;
}

/** What opens a wallet in this page. */
export interface PageSecret {
  passphrase: string;
  /** The passphrase is a mnemonic, and each coin has keys of its own. */
  hd: boolean;
}

/** What opens a native node. */
export interface NativeSecret {
  password: string;
  /** Of interface A; without it tokens cannot be used. */
  daemonPassword?: string;
}

/** The secrets of a session. */
export interface Secrets {
  page?: PageSecret;
  native?: NativeSecret;
}

/** Whether the part of the profile that is in use needs a secret that is not there. */
export function isLocked({ use, page }: Profile, secrets: Secrets): boolean {
  return use === "native" ? !secrets.native : page?.kind !== "external" && !secrets.page;
}
