import { t, type Text } from "../../language.ts";
import { connection, online, state } from "../../node.ts";
import { href } from "../../route.ts";
import { bytes } from "../../storage.ts";
import { Address } from "../../ui/address.tsx";
import { Amount } from "../../ui/amount.tsx";
import { Fact } from "../../ui/fact.tsx";
import { rich } from "../../ui/rich.tsx";
import { when } from "../../ui/when.ts";
import type { Chain, Facts } from "./facts.ts";

const stores: Record<string, Text> = {
  opfs: "nodes.files",
  indexeddb: "nodes.database",
  memory: "nodes.memory",
};

/** The state of the node. */
export function Status({ known: { version, made, coins, peerId, chain, health, bytes: used } }: { known: Facts }) {
  return (
    <dl>
      <Fact name={t("nodes.state")}>{how(health)}</Fact>
      <Fact name={t("nodes.runs")}>{where()}</Fact>
      {health?.since && <Fact name={t("nodes.since")}>{when(health.since)}</Fact>}
      <Fact name={t("nodes.version")}>
        {version}
        {made && <small> {t("nodes.madeon", { date: made.slice(0, 10).replaceAll("-", "\u2011") })}</small>}
      </Fact>
      <Fact name={t("nodes.data")}>{data(used)}</Fact>
      <Fact name={t("nodes.chain")}>{chain ? <Height chain={chain} /> : t("nodes.nodaemon")}</Fact>
      {chain && <Fact name={t("nodes.peers")}>{chain.connections === 0 ? t("nodes.nopeers") : <Amount value={String(chain.connections)} />}</Fact>}
      <Fact name={t("nodes.coins")}>{coins.length > 0 ? coins.join(", ") : t("nodes.none")}</Fact>
      {peerId !== null && (
        <Fact name={t("nodes.peerid")}>
          <Address value={peerId} what={t("nodes.thepeerid")} />
        </Fact>
      )}
    </dl>
  );
}

const Height = ({ chain: { name, height, waiting } }: { chain: Chain }) => (
  <>
    {rich("nodes.block", { name, height: <Amount value={String(height)} />, waiting: waiting > 0 && <small> {t("nodes.waiting", { count: waiting })}</small> })}
  </>
);

function how(health: Facts["health"]): string {
  if (state.value.is !== "on") {
    return t("nodes.silent");
  }
  if (health && !health.ready) {
    return t("nodes.notready", { reason: health.reason || t("nodes.isnotready") });
  }
  return online.value ? t("nodes.works") : t("nodes.offline");
}

function where(): string {
  const node = connection.value;
  if (node?.page) {
    return node.page.status().role === "client" ? t("nodes.othertab") : t("nodes.thistab");
  }
  return t("nodes.natively", { url: node?.url ?? "" });
}

function data(used: number | null) {
  const page = connection.value?.page;
  if (!page) {
    return t("nodes.folder");
  }
  const { storage: kind, persisted } = page.status();
  return (
    <>
      {t(stores[kind] ?? "nodes.withother")}
      {used !== null && kind !== "memory" && `, ${bytes(used)}`}
      <small>
        {" "}
        {persisted === true ? t("nodes.kept") : kind !== "memory" && t("nodes.notkept")} <a href={href("settings")}>{t("nodes.export")}</a>
      </small>
    </>
  );
}
