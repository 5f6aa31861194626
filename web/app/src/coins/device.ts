/** Access to hardware wallets through the browser. */

import { chooseDevice as choose } from "obverse";
import { t } from "../language.ts";

interface WithHID {
  hid?: { getDevices: () => Promise<unknown[]> };
}

/**
 * Has the user choose a device, unless this page has access to one already. Must be called from a click handler.
 * @returns the error message; "" if it succeeded
 */
export async function chooseDevice(): Promise<string> {
  const { hid } = navigator as WithHID;
  if (!hid) {
    return t("coins.nodevices");
  }
  return (await hid.getDevices()).length > 0 || (await choose()) ? "" : t("coins.nodevice");
}
