import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { nameOf } from "../../coins/catalog.ts";
import { go } from "../../route.ts";
import { Address } from "../../ui/address.tsx";
import { announce } from "../../ui/announce.tsx";
import { Copy } from "../../ui/copy.tsx";
import { useEvery } from "../../ui/every.ts";
import { Fact } from "../../ui/fact.tsx";
import { Fault } from "../../ui/fault.tsx";
import { Choice } from "../../ui/field.tsx";
import { Progress } from "../../ui/progress.tsx";
import { useLoad } from "../../ui/task.ts";
import { Activate } from "./activate.tsx";
import { Connect } from "./connect.tsx";
import { PeerList } from "./peerlist.tsx";
import { known, short, stateWords, type Known, type Peer } from "./peers.ts";
import { Trusted } from "./trusted.tsx";

const LOOK = 2000; // ms between looks at the peers: the node has no events of them

const MORE = "";

/** A Lightning coin that is active: its node, its peers, and whom it trusts. */
export function Coin({ ticker, active }: { ticker: string; active: readonly string[] }) {
  const more = useSignal(false);
  const load = useLoad(() => known(ticker), [], useEvery(LOOK));
  const now = load.value.value;
  useChanges(now?.peers);
  const choose = (chosen: string) => {
    more.value = chosen === MORE;
    if (chosen !== MORE) {
      go("lightning", [chosen]);
    }
  };
  return (
    <>
      <Choice label="Coin" value={more.value ? MORE : ticker} onText={choose}>
        {active.map((coin) => (
          <option key={coin} value={coin}>
            {nameOf(coin) === coin ? coin : `${coin} – ${nameOf(coin)}`}
          </option>
        ))}
        <option value={MORE}>Activate another one</option>
      </Choice>
      {more.value ? (
        <Activate asked="" active={active} />
      ) : (
        <>
          <Fault error={load.error.value} retry={load.reload} />
          {now ? <Node ticker={ticker} now={now} reload={load.reload} /> : load.error.value === null && <Progress label="Asking the node for its peers" />}
        </>
      )}
    </>
  );
}

function Node({ ticker, now: { id, listening, peers, trusted }, reload }: { ticker: string; now: Known; reload: () => void }) {
  return (
    <>
      <dl>
        <Fact name="Your node">
          <Address value={id} what="your node's id" />
        </Fact>
        <Fact name="Listens">{listening ? <Listening id={id} at={listening} /> : "no: other nodes cannot connect to it. They can once its config has lightning_ip."}</Fact>
      </dl>
      <Connect coin={ticker} peers={peers} changed={reload} />
      <PeerList coin={ticker} peers={peers} trusted={trusted} changed={reload} />
      <Trusted coin={ticker} trusted={trusted} changed={reload} />
    </>
  );
}

/** Where others can connect. What listens on all addresses of its machine does not know which of them others see. */
function Listening({ id, at }: { id: string; at: string }) {
  const [, port] = /^(?:0\.0\.0\.0|\[::\]):(\d+)$/.exec(at) ?? [];
  return port === undefined ? (
    <>
      at {at} <Copy text={`${id}@${at}`} what="your node's address" />
    </>
  ) : (
    <>on port {port}, at all addresses of its machine</>
  );
}

/** Says what changes about peers, for those who do not see it. */
function useChanges(peers: readonly Peer[] | undefined) {
  const before = useRef<readonly Peer[]>(peers ?? []);
  const first = useRef(true);
  useEffect(() => {
    if (peers === undefined) {
      return;
    }
    const was = before.current;
    const told = [
      ...peers.filter(({ id, state }) => was.find((peer) => peer.id === id)?.state !== state).map(({ id, state }) => `${short(id)} is ${stateWords[state]}`),
      ...was.filter(({ id }) => !peers.some((peer) => peer.id === id)).map(({ id }) => `${short(id)} is disconnected`),
    ];
    before.current = peers;
    if (!first.current && told.length > 0) {
      announce(`Peer ${told.join(". Peer ")}`);
    }
    first.current = false;
  }, [peers]);
}
