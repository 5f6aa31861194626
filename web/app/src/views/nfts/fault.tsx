import { serviceFault } from "../../coins/reasons.ts";
import { Fault } from "../../ui/fault.tsx";
import { Said } from "../../words.ts";

/** Which server is to blame, and for what; null if none is. */
export function blame(error: unknown): { what: string; todo: string } | null {
  const fault = serviceFault(error);
  if (!fault) {
    return null;
  }
  const server = URL.canParse(fault.url) ? `The server ${new URL(fault.url).host}` : "The server";
  return { what: fault.what.replace(/^Its answer/, `${server} answered what`).replace(/^It /, `${server} `), todo: fault.todo };
}

/**
 * What went wrong when NFTs were looked up, with the server that is to blame.
 * @param then what follows from it
 */
export function ServiceFault({ error, then }: { error: unknown; then: string }) {
  const found = blame(error);
  return <Fault error={found ? new Said(found.what, `${found.todo} ${then}`, error) : error} />;
}
