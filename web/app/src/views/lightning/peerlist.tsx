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
  /** Something was done. */
  changed: () => void;
}

/** The nodes that are connected, or are to be. */
export function PeerList({ peers, ...rest }: Properties & { peers: readonly Peer[] }) {
  return (
    <section aria-labelledby="lightning-peers">
      <h2 id="lightning-peers" tabIndex={-1}>Peers</h2>
      {peers.length === 0 ? (
        <p>No node is connected.</p>
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
    announce(`${short(id)} is trusted`);
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
          {stateWords[state]}
        </strong>
        {since && <span>since {when(since)}</span>}
        {isTrusted && <span class="network">trusted</span>}
      </p>
      <p class="who">
        <Address value={id} what={`the id of ${short(id)}`} />
      </p>
      {address && (
        <p class="where">
          {inbound ? "It connected to your node, from" : "at"} {address}
        </p>
      )}
      {state === "waiting" && reason && <p class="where">{why(reason)}</p>}
      <Fault error={end.error.value ?? trust.error.value} />
      <div class="does">
        {(!isTrusted || trust.busy.value) && (
          <Button type="button" class="quiet" busy={trust.busy.value} onClick={() => void trust.run()} aria-label={`Trust ${short(id)}`}>
            Trust
          </Button>
        )}
        <Button type="button" class="quiet" busy={end.busy.value} onClick={() => void end.run()} aria-label={`${state === "connected" ? "Disconnect" : "Give up"} ${short(id)}`}>
          {state === "connected" ? "Disconnect" : "Give up"}
        </Button>
      </div>
    </li>
  );
}

const why = (reason: string): string => (/connection refused/.test(reason) ? "Connection refused. Your node retries automatically." : `Your node retries automatically. Last error: ${reason}`);
