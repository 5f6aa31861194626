/**
 * Wallet files: a recovery phrase or passphrase, encrypted with a password, in the format of Komodo DeFi Framework. A node
 * without data reads and writes them; named wallets of native nodes use the same format (core/key/walletfile).
 */

import { NodeError } from "obverse";
import { withTrial } from "../node.ts";
import { normalPassword } from "./crypto.ts";
import { reveal } from "./reveal.ts";

const NAME = "file";

/**
 * Returns the wallet in use as the text of a file, encrypted with its password.
 * @throws WrongPassword
 */
export async function toFile(password: string): Promise<string> {
  const { passphrase, hd } = await reveal(password);
  const wallet_password = normalPassword(password);
  return withTrial({ passphrase, enable_hd: hd, wallet_name: NAME, wallet_password, allow_weak_password: true, allow_registrations: true }, async (node) => {
    const { encrypted_mnemonic_data: file } = await node.rpc("get_mnemonic", { format: "encrypted" });
    return JSON.stringify(file, null, 2);
  });
}

/** The error for a file that cannot be opened: it is not a wallet file, or the password is wrong. */
export class BadFile extends Error {
  constructor(readonly is: "file" | "password", cause: unknown) {
    super(is === "file" ? "invalid wallet file" : "wrong password, or the file was changed", { cause });
  }
}

const MOST = 1 << 16; // bytes; a wallet file has less than one kilobyte

/**
 * Returns the recovery phrase or passphrase in a file.
 * @throws BadFile
 */
export async function fromFile(file: Blob, password: string): Promise<string> {
  let passphrase: unknown;
  try {
    passphrase = file.size > MOST ? null : JSON.parse(await file.text());
  } catch (error) {
    throw new BadFile("file", error);
  }
  if (passphrase === null || typeof passphrase !== "object" || Array.isArray(passphrase)) {
    throw new BadFile("file", undefined);
  }
  const wallet_password = normalPassword(password);
  try {
    return await withTrial({ passphrase, wallet_name: NAME, wallet_password, allow_weak_password: true, allow_registrations: true }, async (node) => (await node.rpc("get_mnemonic", { format: "plaintext", password: wallet_password })).mnemonic ?? "");
  } catch (error) {
    if (error instanceof NodeError && ["WalletError", "ConfigError"].includes(error.kind)) {
      throw new BadFile(/wrong password/.test(error.message) ? "password" : "file", error);
    }
    throw error;
  }
}
