import { serviceFault } from "../../coins/reasons.ts";
import { Fault } from "../../ui/fault.tsx";
import { Said } from "../../words.ts";

/**
 * What went wrong when NFTs were looked up, with the service that is to blame.
 * @param then what follows from it
 */
export function ServiceFault({ error, then, retry }: { error: unknown; then: string; retry?: () => void }) {
  const fault = serviceFault(error);
  if (!fault) {
    return <Fault error={error} {...(retry ? { retry } : {})} />;
  }
  const { url, what, todo } = fault;
  const of = what.replace(/^Its/, "The service's").replace(/^It /, "The service ");
  return <Fault error={new Said(url ? `${of} (${url})` : of, `${todo} ${then}`, error)} {...(retry ? { retry } : {})} />;
}
