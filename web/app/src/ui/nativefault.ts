/** Connection errors of a native node that concern one field. */

import { DaemonError, RpcError } from "obverse";
import { t } from "../language.ts";
import { NoInterfaceA } from "../node.ts";

export interface NativeFault {
  /** The field: the node's password, or the address or the password of its daemon API. */
  at: "password" | "daemon" | "daemonPassword";
  says: string;
}

/** Returns null if the error concerns no field. */
export function nativeFault(error: unknown): NativeFault | null {
  if (error instanceof RpcError && error.kind === "UserpassIsInvalid") {
    return { at: "password", says: t("error.userpassisinvalid") };
  }
  if (error instanceof NoInterfaceA) {
    return { at: "daemon", says: t("native.noa") };
  }
  if (error instanceof DaemonError && error.status === 401) {
    return { at: "daemonPassword", says: t("error.daemon") };
  }
  return null;
}
