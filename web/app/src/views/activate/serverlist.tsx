import { Fragment } from "preact";
import type { ServerFault } from "../../coins/reasons.ts";
import { faultOf, isUsed, useServers, type Server } from "../../coins/servers.ts";
import { t, type Text } from "../../language.ts";
import { rich } from "../../ui/rich.tsx";
import "../../coins/coins.css";

/** Servers with their faults. */
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
              <summary>{t("activate.details")}</summary>
              <code>{reason}</code>
            </details>
          )}
        </li>
      ))}
    </ul>
  );
}

/** The servers of a coin that are not used, if there are any. */
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
          ? t("activate.noneleft")
          : t("activate.leftout", { count: out.length })}
      </p>
      <ServerList servers={out.map(faultOf)} />
    </div>
  );
}

const inWords: Record<Server["state"], Text | null> = { in_use: null, behind: "activate.behind", pending: "activate.noanswer", left_out: "activate.unused", suspended: "activate.unused" };

/** The servers of a coin in one line. */
export function ServerNames({ ticker }: { ticker: string }) {
  const servers = useServers(ticker);
  return (
    servers && (
      <p>
        {rich("activate.servernames", { list: servers.map(({ url, state }, n) => (
          <Fragment key={n}>
            {n > 0 && ", "}
            <code>{url}</code>
            {inWords[state] && ` (${t(inWords[state])})`}
          </Fragment>
        )) })}
      </p>
    )
  );
}
