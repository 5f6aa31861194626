/** Why a native node cannot be used, where that is the matter of one field. */

import { DaemonError, RpcError } from "obverse";
import { NoInterfaceA } from "../node.ts";

export interface NativeFault {
  /** The field: the node's password, or the address or the password of its interface A. */
  at: "password" | "daemon" | "daemonPassword";
  says: string;
}

/** Null: the error is about no field. */
export function nativeFault(error: unknown): NativeFault | null {
  if (error instanceof RpcError && error.kind === "UserpassIsInvalid") {
    return { at: "password", says: "Wrong password. It is rpc_password in the node's config." };
  }
  if (error instanceof NoInterfaceA) {
    return { at: "daemon", says: "The node answers, but its interface A does not answer at this address. See daemon.rpcport in the node's config." };
  }
  if (error instanceof DaemonError && error.status === 401) {
    return { at: "daemonPassword", says: "Wrong user or password for interface A. They are daemon.rpcuser and daemon.rpcpassword in the node's config." };
  }
  return null;
}
