/** Which addresses can be watched. */

import { t } from "../language.ts";
import { accountOf, familyOfAddress, mistakeIn } from "./addresses.ts";

/** How many bytes the address of an account has. */
const ACCOUNT = 20;

/** Addresses of chains that no wallet here has: bech32 of Bitcoin and others, and base58, whose letters are of both cases. */
const ELSEWHERE = /^(?:(?:bc|tb|ltc|addr|stake|one|zil|erd)1|bitcoincash:|kaspa:)|^(?=.*[A-Z])(?=.*[a-z])[1-9A-HJ-NP-Za-km-z]{25,44}$/;

/** What keeps an address from being watched; "" if nothing does. */
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
    return t("watch.form"); // such as one of Bitcoin's, whose digits are no whole bytes
  }
}
