import { RpcError } from "obverse";
import { serviceFault } from "../../coins/reasons.ts";
import { t } from "../../language.ts";
import { Fault } from "../../ui/fault.tsx";
import { Said } from "../../words.ts";

/** Addresses that the node does not request: of a private network, or of another kind. */
const PRIVATE = /the private host \S+, where no picture is looked for|not a public address/;
const NOWHERE = /where no picture is looked for/;

/** Explains why there is no picture; again: whether trying again may help. */
export function pictureFault(error: unknown): { why: string; again: boolean } {
  const said = error instanceof RpcError && error.kind === "Transport" ? String(error.data) : "";
  if (PRIVATE.test(said)) {
    return { why: t("nft.private"), again: false };
  }
  if (NOWHERE.test(said)) {
    return { why: t("nft.addresstype"), again: false };
  }
  return { why: serviceFault(error)?.what ?? t("nft.format"), again: true };
}

/**
 * An error of looking up NFTs, with the server that caused it.
 * @param then the consequence
 */
export function ServiceFault({ error, then }: { error: unknown; then: string }) {
  const found = serviceFault(error);
  return <Fault error={found ? new Said(found.what, `${found.todo} ${then}`, error) : error} />;
}
