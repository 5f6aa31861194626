import { RpcError } from "obverse";
import { serviceFault } from "../../coins/reasons.ts";
import { t } from "../../language.ts";
import { Fault } from "../../ui/fault.tsx";
import { Said } from "../../words.ts";

/** Which server is to blame, and for what; null if none is. */
export function blame(error: unknown): { what: string; todo: string } | null {
  const fault = serviceFault(error);
  if (!fault) {
    return null;
  }
  const server = URL.canParse(fault.url) ? `The server ${new URL(fault.url).host}` : "The server";
  return { what: fault.what.replace(/^Its answer/, `${server} answered, but its answer`).replace(/^It /, `${server} `).replace(/^Unreachable/, `${server} is unreachable`), todo: fault.todo };
}

/** The node asks nobody there, or nobody but who is of the public internet. */
const PRIVATE = /the private host \S+, where no picture is looked for|not a public address/;
const NOWHERE = /where no picture is looked for/;

/** Why there is no picture; again: whether trying again may help. */
export function pictureFault(error: unknown): { why: string; again: boolean } {
  const said = error instanceof RpcError && error.kind === "Transport" ? String(error.data) : "";
  if (PRIVATE.test(said)) {
    return { why: t("nft.private"), again: false };
  }
  if (NOWHERE.test(said)) {
    return { why: t("nft.addresstype"), again: false };
  }
  return { why: blame(error)?.what ?? t("nft.format"), again: true };
}

/**
 * What went wrong when NFTs were looked up, with the server that is to blame.
 * @param then what follows from it
 */
export function ServiceFault({ error, then }: { error: unknown; then: string }) {
  const found = blame(error);
  return <Fault error={found ? new Said(found.what, `${found.todo} ${then}`, error) : error} />;
}
