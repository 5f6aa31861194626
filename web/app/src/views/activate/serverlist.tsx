import { Fragment } from "preact";
import type { ServerFault } from "../../coins/reasons.ts";
import { faultOf, isUsed, useServers, type Server } from "../../coins/servers.ts";
import "../../coins/coins.css";

/** Servers, each with what is the matter with it. */
export function ServerList({ servers }: { servers: readonly ServerFault[] }) {
  return (
    <ul class="reasons">
      {servers.map(({ url, what, todo, reason }, n) => (
        <li key={n}>
          <code>{url}</code>
          <br />
          {what} {todo}
          {reason && (
            <details>
              <summary>Details</summary>
              <code>{reason}</code>
            </details>
          )}
        </li>
      ))}
    </ul>
  );
}

/** The servers that a coin goes without, if there are any. */
export function LeftOut({ ticker }: { ticker: string }) {
  const servers = useServers(ticker) ?? [];
  const out = servers.filter((server) => !isUsed(server));
  if (out.length === 0) {
    return null;
  }
  return (
    <div class="note warn" role="status">
      <p>
        {out.length === servers.length
          ? "None of its servers is usable now. The node retries later."
          : `${out.length === 1 ? "One of its servers is not used." : `${out.length} of its servers are not used.`} The coin works with the others, and the node asks again later.`}
      </p>
      <ServerList servers={out.map(faultOf)} />
    </div>
  );
}

const inWords: Record<Server["state"], string> = { in_use: "", behind: " (without the newest blocks)", pending: " (no answer yet)", left_out: " (left out)", suspended: " (left out)" };

/** The servers of a coin in a line. */
export function ServerNames({ ticker }: { ticker: string }) {
  const servers = useServers(ticker);
  return (
    servers && (
      <p>
        Servers:{" "}
        {servers.map(({ url, state }, n) => (
          <Fragment key={n}>
            {n > 0 && ", "}
            <code>{url}</code>
            {inWords[state]}
          </Fragment>
        ))}
      </p>
    )
  );
}
