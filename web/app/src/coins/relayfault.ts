import { RpcError } from "obverse";
import { t } from "../language.ts";
import { connection } from "../node.ts";
import { Said } from "../words.ts";

/** Words the error of a missing project ID, which a relay requires; returns other errors unchanged. */
export function relayFault(error: unknown): unknown {
  if (!(error instanceof RpcError && error.kind === "InitializationError")) {
    return error;
  }
  return new Said(t("coins.noproject"), connection.peek()?.kind === "page" ? t("coins.noprojectpage") : t("coins.noprojectnative"), error);
}
