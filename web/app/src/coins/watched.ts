/** The address that the wallet in use looks at, if it has no keys and looks at one. */

import { connection } from "../node.ts";
import { accountOf } from "../session/profile.ts";
import { profile } from "../session/session.ts";
import { familyOfAddress } from "./addresses.ts";
import type { Family } from "./catalog.ts";

/** The address; undefined: the wallet in use is of another kind. */
export const watched = (): string | undefined => (connection.value?.kind === "page" ? profile.value?.page?.watched : undefined);

/** Which account of its recovery phrase the wallet in use is; 0: the first. */
export const accountInUse = (): number => (connection.value?.kind === "page" ? accountOf(profile.value?.page) : 0);

/** The networks on which it is looked at. */
export const watchedFamily = (): Family | null => familyOfAddress(watched() ?? "");
