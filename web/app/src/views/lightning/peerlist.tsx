import { t } from "../../language.ts";
import { when } from "../../ui/when.ts";
import { rpc } from "../../node.ts";
import { Address } from "../../ui/address.tsx";
import { announce } from "../../ui/announce.tsx";
import { Button } from "../../ui/button.tsx";
import { Fault } from "../../ui/fault.tsx";
import { useTask } from "../../ui/task.ts";
import { isKind } from "./activation.ts";
import { useRow } from "./field.ts";
import { short, stateWords, type Peer } from "./peers.ts";

interface Properties {
  coin: string;
  trusted: readonly string[];
  /** Called after a change. */
  changed: () => void;
}

/** The peers that are connected or being connected. */
export function PeerList({ peers, ...rest }: Properties & { peers: readonly Peer[] }) {
  return (
    <section aria-labelledby="lightning-peers">
      <h2 id="lightning-peers" tabIndex={-1}>{t("lightning.peers")}</h2>
      {peers.length === 0 ? (
        <p>{t("lightning.nopeers")}</p>
      ) : (
        <ul>
          {peers.map((peer) => (
            <Row key={peer.id} peer={peer} {...rest} />
          ))}
        </ul>
      )}
    </section>
  );
}

function Row({ peer: { id, address, state, inbound, since, reason }, coin, trusted, changed }: Properties & { peer: Peer }) {
  const row = useRow();
  const end = useTask(async () => {
    try {
      await rpc("lightning::nodes::disconnect", { coin, node_id: id });
    } catch (error) {
      if (!isKind(error, "NotConnected")) {
        throw error;
      }
    }
    changed();
  });
  const trust = useTask(async () => {
    await rpc("lightning::nodes::add_trusted_node", { coin, node_id: id });
    announce(t("lightning.trustednow", { id: short(id) }));
    if (row.current?.contains(document.activeElement)) {
      row.current.querySelector<HTMLElement>(".does button:last-child")?.focus();
    }
    changed();
  });
  const isTrusted = trusted.includes(id);
  return (
    <li ref={row}>
      <p class="how">
        <strong class="state" data-state={state}>
          {t(stateWords[state])}
        </strong>
        {since && <span>{t("lightning.since", { since: when(since) })}</span>}
        {isTrusted && <span class="network">{t("lightning.trusted")}</span>}
      </p>
      <p class="who">
        <Address value={id} what={t("lightning.theid", { id: short(id) })} />
      </p>
      {address && (
        <p class="where">
          {inbound ? t("lightning.from", { address }) : t("lightning.at", { at: address })}
        </p>
      )}
      {state === "waiting" && reason && <p class="where">{why(reason)}</p>}
      <Fault error={end.error.value ?? trust.error.value} />
      <div class="does">
        {(!isTrusted || trust.busy.value) && (
          <Button type="button" class="quiet" busy={trust.busy.value} onClick={() => void trust.run()} aria-label={t("lightning.trustone", { id: short(id) })}>
            {t("lightning.trust")}
          </Button>
        )}
        <Button type="button" class="quiet" busy={end.busy.value} onClick={() => void end.run()} aria-label={t(state === "connected" ? "lightning.disconnectone" : "lightning.giveupone", { id: short(id) })}>
          {state === "connected" ? t("lightning.disconnect") : t("lightning.giveup")}
        </Button>
      </div>
    </li>
  );
}

const why = (reason: string): string => (/connection refused/.test(reason) ? t("lightning.retryrefused") : t("lightning.retry", { reason }));
