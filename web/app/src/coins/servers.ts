/** The state of the servers of an active coin, according to the node. */

import type { Methods } from "obverse";
import { t } from "../language.ts";
import { connection, rpc } from "../node.ts";
import { useEvery } from "../ui/every.ts";
import { useLoad } from "../ui/task.ts";
import { serverFault, type ServerFault } from "./reasons.ts";

export type Server = Methods["get_coin_nodes"]["result"]["nodes"][number];

const LOOK = 5000; // ms between requests while they are displayed

/** Returns the current state of a coin's servers; null if not known. */
export function useServers(ticker: string): readonly Server[] | null {
  return useLoad(() => rpc("get_coin_nodes", { coin: ticker }), [ticker, connection.value], useEvery(LOOK)).value.value?.nodes ?? null;
}

/** Reports whether the node uses a server for what the coin needs. */
export const isUsed = ({ state }: Server): boolean => state === "in_use" || state === "behind";

/** Returns what is wrong with a server that is not used. */
export const faultOf = ({ url, state, reason = "" }: Server): ServerFault =>
  state === "pending" ? { url, what: t("coins.noanswer"), todo: t("coins.noanswertodo"), reason } : serverFault(url, reason);
