/** The hardware wallets that the browser lets this page use. */

import { chooseDevice as choose } from "obverse";
import { t } from "../language.ts";

interface WithHID {
  hid?: { getDevices: () => Promise<unknown[]> };
}

/**
 * Has the user choose a device, unless this page may use one already: call it from the handler of a click.
 * @returns what is wrong; "" if nothing is
 */
export async function chooseDevice(): Promise<string> {
  const { hid } = navigator as WithHID;
  if (!hid) {
    return t("coins.nodevices");
  }
  return (await hid.getDevices()).length > 0 || (await choose()) ? "" : t("coins.nodevice");
}
