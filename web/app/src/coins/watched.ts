/** The address that the wallet in use looks at, if it has no keys and looks at one. */

import { connection } from "../node.ts";
import { profile } from "../session/session.ts";
import { familyOfAddress } from "./addresses.ts";
import type { Family } from "./catalog.ts";

/** The address; undefined: the wallet in use is of another kind. */
export const watched = (): string | undefined => (connection.value?.kind === "page" ? profile.value?.page?.watched : undefined);

/** The networks on which it is looked at. */
export const watchedFamily = (): Family | null => familyOfAddress(watched() ?? "");
