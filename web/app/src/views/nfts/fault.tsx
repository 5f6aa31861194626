import { serviceFault } from "../../coins/reasons.ts";
import { Fault } from "../../ui/fault.tsx";
import { Said } from "../../words.ts";

interface Properties {
  error: unknown;
  /** What follows from it. */
  then: string;
  /** Whether the user can do something about the server. */
  theirs?: boolean;
  retry?: () => void;
}

/** What went wrong when something was looked up, with the server that is to blame. */
export function ServiceFault({ error, then, theirs = true, retry }: Properties) {
  return <Fault error={worded(error, then, theirs)} {...(retry ? { retry } : {})} />;
}

function worded(error: unknown, then: string, theirs: boolean): unknown {
  const fault = serviceFault(error);
  if (!fault) {
    return error;
  }
  const server = URL.canParse(fault.url) ? `The server ${new URL(fault.url).host}` : "The server";
  return new Said(fault.what.replace(/^Its answer/, `${server} answered what`).replace(/^It /, `${server} `), theirs ? `${fault.todo} ${then}` : then, error);
}
