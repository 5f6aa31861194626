import { leftOut } from "../../coins/leftout.ts";
import type { ServerFault } from "../../coins/reasons.ts";
import { connection } from "../../node.ts";
import "../../coins/coins.css";

/** Servers, each with what is the matter with it. */
export function ServerList({ servers }: { servers: readonly ServerFault[] }) {
  return (
    <ul class="reasons">
      {servers.map(({ url, what, todo, reason }) => (
        <li key={url}>
          <code>{url}</code>
          <br />
          {what} {todo}
          <details>
            <summary>Details</summary>
            <code>{reason}</code>
          </details>
        </li>
      ))}
    </ul>
  );
}

/** The servers that a coin was activated without, if that is known. */
export function LeftOut({ ticker }: { ticker: string }) {
  const servers = leftOut.value.get(ticker) ?? [];
  if (servers.length === 0) {
    return null;
  }
  return (
    <div class="note warn" role="status">
      <p>{servers.length === 1 ? "One of its servers was left out." : `${servers.length} of its servers were left out.`} The coin works with the others, and the node asks again later.</p>
      <ServerList servers={servers} />
    </div>
  );
}

/** Where it can be read which of several servers were left out, when this page cannot tell. */
export function ElsewhereLogged({ servers }: { servers: readonly string[] }) {
  const node = connection.value;
  const isHere = node?.page && node.page.status().role !== "client";
  if (isHere || servers.length < 2) {
    return null;
  }
  return <p class="muted">If one of the {servers.length} servers was left out, the log of the node names it, with the reason. {node?.page ? "It is in the tab that runs the node." : "A native node writes it where it was started."}</p>;
}
