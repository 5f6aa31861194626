/** The servers of an active coin: how they do, as the node has found out. */

import type { Methods } from "obverse";
import { t } from "../language.ts";
import { connection, rpc } from "../node.ts";
import { useEvery } from "../ui/every.ts";
import { useLoad } from "../ui/task.ts";
import { serverFault, type ServerFault } from "./reasons.ts";

export type Server = Methods["get_coin_nodes"]["result"]["nodes"][number];

const LOOK = 5000; // ms between looks, while they are shown

/** Those of a coin, as they do now; null: not known. */
export function useServers(ticker: string): readonly Server[] | null {
  return useLoad(() => rpc("get_coin_nodes", { coin: ticker }), [ticker, connection.value], useEvery(LOOK)).value.value?.nodes ?? null;
}

/** Whether the node asks it for what the coin needs. */
export const isUsed = ({ state }: Server): boolean => state === "in_use" || state === "behind";

/** What is the matter with one that is not used. */
export const faultOf = ({ url, state, reason = "" }: Server): ServerFault =>
  state === "pending" ? { url, what: t("coins.noanswer"), todo: t("coins.noanswertodo"), reason } : serverFault(url, reason);
