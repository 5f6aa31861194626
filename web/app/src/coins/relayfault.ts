import { RpcError } from "obverse";
import { connection } from "../node.ts";
import { Said } from "../words.ts";

/** That a node has no project ID, which a relay asks for, in words; other errors stay as they are. */
export function relayFault(error: unknown): unknown {
  if (!(error instanceof RpcError && error.kind === "InitializationError")) {
    return error;
  }
  return new Said("The node needs a project ID for WalletConnect.", connection.peek()?.kind === "page" ? "Enter one in the settings." : "Set walletconnect.project_id in the node's config, and restart it.", error);
}
