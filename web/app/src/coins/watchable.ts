/** Which addresses can be watched. */

import { t } from "../language.ts";
import { accountOf, familyOfAddress, mistakeIn } from "./addresses.ts";

/** Length of an account's address in bytes. */
const ACCOUNT = 20;

/** Addresses of chains that this wallet does not support: bech32 of Bitcoin and others, and base58, which has letters of both cases. */
const ELSEWHERE = /^(?:(?:bc|tb|ltc|addr|stake|one|zil|erd)1|bitcoincash:|kaspa:)|^(?=.*[A-Z])(?=.*[a-z])[1-9A-HJ-NP-Za-km-z]{25,44}$/;

/** Returns why an address cannot be watched; "" if it can. */
export async function wrongToWatch(address: string): Promise<string> {
  const family = familyOfAddress(address);
  if (ELSEWHERE.test(address)) {
    return t("watch.elsewhere");
  }
  if (family === null) {
    return t(mistakeIn(address, /^0x/i.test(address)) === "checksum" ? "watch.checksum" : "watch.form");
  }
  if (family === "evm" && /[a-f]/.test(address) && /[A-F]/.test(address) && !(await import("./eip55.ts")).isChecksummed(address)) {
    return t("watch.checksum");
  }
  try {
    return accountOf(address).length === ACCOUNT ? "" : t("watch.account");
  } catch {
    return t("watch.form"); // for example a Bitcoin address, whose digits are not whole bytes
  }
}
