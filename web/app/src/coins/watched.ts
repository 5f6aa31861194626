/** The address that the wallet in use looks at, if it has no keys and looks at one. */

import { bech32 } from "@scure/base";
import { connection } from "../node.ts";
import { profile } from "../session/session.ts";
import { familyOfAddress } from "./addresses.ts";
import type { Family } from "./catalog.ts";

/** The address; undefined: the wallet in use is of another kind. */
export const watched = (): string | undefined => (connection.value?.kind === "page" ? profile.value?.page?.watched : undefined);

/** The networks on which it is looked at. */
export const watchedFamily = (): Family | null => familyOfAddress(watched() ?? "");

/** The 20 bytes of an address, which are the same on all chains of its family that make keys alike. */
export function accountOf(address: string): number[] {
  const hex = /^0x([0-9a-f]{40})$/i.exec(address)?.[1];
  return hex ? (hex.match(/../g) ?? []).map((byte) => parseInt(byte, 16)) : [...bech32.fromWords(bech32.decode(address as `${string}1${string}`).words)];
}
