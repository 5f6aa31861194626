/** Where the key of a coin is: in the node, or in a wallet that signs each transaction. */

import type { Methods } from "obverse";
import { familyOf } from "./family.ts";
import { platformOf, type Family, type KeyPlace } from "./catalog.ts";
import { accountOf } from "./addresses.ts";
import { accountInUse, watched } from "./watched.ts";
import { settingsOf, type Settings } from "./remembered.ts";

type Policy = Pick<Methods["enable_tendermint_with_assets"]["params"], "priv_key_policy" | "path_to_address">;

/** Returns the activation policy for a key. */
export function policyOf({ key, topic = "" }: Pick<Settings, "key" | "topic">): Policy {
  switch (key) {
    case "own":
      return accountInUse() === 0 ? {} : { path_to_address: { account_id: accountInUse() } };
    case "browser":
      return { priv_key_policy: "BrowserWallet" };
    case "device":
      return { priv_key_policy: "HardwareWallet" };
    case "session":
      return { priv_key_policy: { type: "SessionWallet", data: topic } };
    case "watch":
      return { priv_key_policy: { type: "WithPubkey", data: { pubkey: { type: "account_id", value: accountOf(watched() ?? "") }, is_ledger_connection: false } } };
  }
}

/** Returns where the key of an active coin or token is. */
export const keyOf = (ticker: string): KeyPlace => settingsOf(platformOf(ticker) ?? ticker)?.key ?? "own";

/** Returns the name of a device's app for a family. */
export const appOf = (family: Family): string => (family === "evm" ? "Ethereum" : "Cosmos");

/** Returns the kind of signer of a coin. */
export function signerOf(ticker: string): "wallet" | "keplr" | "device" {
  const evm = familyOf(ticker) === "evm";
  const key = keyOf(ticker);
  return key === "device" ? key : key === "browser" && !evm ? "keplr" : "wallet";
}

/** Reports whether a coin's wallet sends what it signs, so that there is no signed transaction before. */
export const sendsItself = (ticker: string): boolean => familyOf(ticker) === "evm" && ["browser", "session"].includes(keyOf(ticker));
