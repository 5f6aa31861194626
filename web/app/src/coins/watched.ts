/** The address of the wallet in use if it only watches one. */

import { connection } from "../node.ts";
import { accountOf } from "../session/profile.ts";
import { profile } from "../session/session.ts";
import { familyOfAddress } from "./addresses.ts";
import type { Family } from "./catalog.ts";

/** Returns the watched address; undefined if the wallet in use is of another kind. */
export const watched = (): string | undefined => (connection.value?.kind === "page" ? profile.value?.page?.watched : undefined);

/** Returns the account index of the wallet in use; 0 for the first. */
export const accountInUse = (): number => (connection.value?.kind === "page" ? accountOf(profile.value?.page) : 0);

/** Returns the family of the networks on which the address is watched. */
export const watchedFamily = (): Family | null => familyOfAddress(watched() ?? "");
