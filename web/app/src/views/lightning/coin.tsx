import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { nameOf } from "../../coins/catalog.ts";
import { t } from "../../language.ts";
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

const LOOK = 2000; // ms between requests for the peers: the node has no events for them

const MORE = "";

/** An active Lightning coin: its node, its peers, and the nodes that it trusts. */
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
      <Choice label={t("lightning.coin")} value={more.value ? MORE : ticker} onText={choose}>
        {active.map((coin) => (
          <option key={coin} value={coin}>
            {nameOf(coin) === coin ? coin : `${coin} – ${nameOf(coin)}`}
          </option>
        ))}
        <option value={MORE}>{t("lightning.activateanother")}</option>
      </Choice>
      {more.value ? (
        <Activate requested="" active={active} />
      ) : (
        <>
          <Fault error={load.error.value} retry={load.reload} />
          {now ? <Node ticker={ticker} now={now} reload={load.reload} /> : load.error.value === null && <Progress label={t("lightning.askingpeers")} />}
        </>
      )}
    </>
  );
}

function Node({ ticker, now: { id, listening, peers, trusted }, reload }: { ticker: string; now: Known; reload: () => void }) {
  return (
    <>
      <dl>
        <Fact name={t("lightning.yournode")}>
          <Address value={id} what={t("lightning.nodeid")} />
        </Fact>
        <Fact name={t("lightning.listens")}>{listening ? <Listening id={id} at={listening} /> : t("lightning.notlistening")}</Fact>
      </dl>
      <Connect coin={ticker} peers={peers} changed={reload} />
      <PeerList coin={ticker} peers={peers} trusted={trusted} changed={reload} />
      <Trusted coin={ticker} trusted={trusted} changed={reload} />
    </>
  );
}

/** The address on which others can connect. A node that listens on all addresses of its machine does not know its public one. */
function Listening({ id, at }: { id: string; at: string }) {
  const [, port] = /^(?:0\.0\.0\.0|\[::\]):(\d+)$/.exec(at) ?? [];
  return port === undefined ? (
    <>
      {t("lightning.at", { at })} <Copy text={`${id}@${at}`} what={t("lightning.nodeaddress")} />
    </>
  ) : (
    <>{t("lightning.onport", { port })}</>
  );
}

/** Announces changes of the peers to screen readers. */
function useChanges(peers: readonly Peer[] | undefined) {
  const before = useRef<readonly Peer[]>(peers ?? []);
  const first = useRef(true);
  useEffect(() => {
    if (peers === undefined) {
      return;
    }
    const was = before.current;
    const changes = [
      ...peers.filter(({ id, state }) => was.find((peer) => peer.id === id)?.state !== state).map(({ id, state }) => t("lightning.is", { id: short(id), state: t(stateWords[state]) })),
      ...was.filter(({ id }) => !peers.some((peer) => peer.id === id)).map(({ id }) => t("lightning.isdisconnected", { id: short(id) })),
    ];
    before.current = peers;
    if (!first.current && changes.length > 0) {
      announce(changes.join(" "));
    }
    first.current = false;
  }, [peers]);
}
