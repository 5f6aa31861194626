/** The wallet's address of a coin that is not active, which is derived without a server. */

import { connection, rpc } from "../node.ts";
import { useLoad } from "../ui/task.ts";
import { platformOf } from "./catalog.ts";
import { familyOf } from "./family.ts";
import { keyOf } from "./keyplace.ts";
import { lastKnown } from "./lastknown.ts";
import { accountInUse, watched, watchedFamily } from "./watched.ts";

async function addressOf(ticker: string): Promise<string> {
  const before = lastKnown(ticker)?.address ?? lastKnown(platformOf(ticker) ?? ticker)?.address ?? "";
  if (watched() !== undefined) {
    return before || (watchedFamily() === "evm" && familyOf(ticker) === "evm" ? (watched() ?? "") : "");
  }
  if (keyOf(ticker) !== "own") {
    return before;
  }
  try {
    const { addresses } = await rpc("get_addresses", { coins: [ticker], account_index: accountInUse() });
    return addresses[0]?.address ?? before;
  } catch {
    return before; // a native node of an earlier version has no such method
  }
}

/** Returns the address; "" if it cannot be derived, null while it is being loaded. */
export const useOwnAddress = (ticker: string): string | null => useLoad(() => addressOf(ticker), [ticker, connection.value]).value.value ?? null;
