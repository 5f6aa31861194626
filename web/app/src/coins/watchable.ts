/** Which addresses can be watched. */

import { t } from "../language.ts";
import { accountOf, familyOfAddress, mistakeIn } from "./addresses.ts";

/** How many bytes the address of an account has. */
const ACCOUNT = 20;

/** What keeps an address from being watched; "" if nothing does. */
export function wrongToWatch(address: string): string {
  const family = familyOfAddress(address);
  if (family === null) {
    return t(mistakeIn(address, /^0x/i.test(address)) === "checksum" ? "watch.checksum" : "watch.form");
  }
  try {
    return accountOf(address).length === ACCOUNT ? "" : t("watch.account");
  } catch {
    return t("watch.form"); // such as one of Bitcoin's, whose digits are no whole bytes
  }
}
