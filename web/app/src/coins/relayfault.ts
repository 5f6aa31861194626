import { RpcError } from "obverse";
import { t } from "../language.ts";
import { connection } from "../node.ts";
import { Said } from "../words.ts";

/** That a node has no project ID, which a relay asks for, in words; other errors stay as they are. */
export function relayFault(error: unknown): unknown {
  if (!(error instanceof RpcError && error.kind === "InitializationError")) {
    return error;
  }
  return new Said(t("coins.noproject"), connection.peek()?.kind === "page" ? t("coins.noprojectpage") : t("coins.noprojectnative"), error);
}
