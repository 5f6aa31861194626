/** The hardware wallets that the browser lets this page use. */

import { chooseDevice as choose } from "obverse";

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
    return "This browser cannot reach hardware wallets: use Chrome or Edge, over https.";
  }
  return (await hid.getDevices()).length > 0 || (await choose()) ? "" : "No device was chosen: plug yours in, unlock it, and choose it in the browser's list.";
}
