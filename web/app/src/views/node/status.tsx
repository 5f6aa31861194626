import { connection, online, state } from "../../node.ts";
import { href } from "../../route.ts";
import { bytes } from "../../storage.ts";
import { Address } from "../../ui/address.tsx";
import { Amount } from "../../ui/amount.tsx";
import { Fact } from "../../ui/fact.tsx";
import { when } from "../../ui/when.ts";
import type { Chain, Facts } from "./facts.ts";

const stores: Record<string, string> = {
  opfs: "in the browser's private files",
  indexeddb: "in the browser's database",
  memory: "in memory only: they are gone when this page is closed",
};

/** How the node is. */
export function Status({ known: { version, made, coins, peerId, chain, health, bytes: used } }: { known: Facts }) {
  return (
    <dl>
      <Fact name="State">{how(health)}</Fact>
      <Fact name="Runs">{where()}</Fact>
      {health?.since && <Fact name="Since">{when(health.since)}</Fact>}
      <Fact name="Version">
        {version}
        {made && <small> of {made.slice(0, 10).replaceAll("-", "\u2011")}</small>}
      </Fact>
      <Fact name="Data">{data(used)}</Fact>
      <Fact name="Token chain">{chain ? <Height chain={chain} /> : "not known: this page has no access to the token daemon"}</Fact>
      {chain && <Fact name="Peers">{chain.connections === 0 ? "none: the chain is this node's alone" : <Amount value={String(chain.connections)} />}</Fact>}
      <Fact name="Active coins">{coins.length > 0 ? coins.join(", ") : "none"}</Fact>
      {peerId !== null && (
        <Fact name="Peer ID">
          <Address value={peerId} what="the peer ID" />
        </Fact>
      )}
    </dl>
  );
}

const Height = ({ chain: { name, height, waiting } }: { chain: Chain }) => (
  <>
    {name}, block <Amount value={String(height)} />
    {waiting > 0 && <small> {waiting === 1 ? "1 transaction waits" : `${waiting} transactions wait`} for the next one</small>}
  </>
);

function how(health: Facts["health"]): string {
  if (state.value.is !== "on") {
    return "does not answer";
  }
  if (health && !health.ready) {
    return `answers, and keeps nothing: ${health.reason || "it is not ready"}`;
  }
  return online.value ? "at work" : "at work, without a network";
}

function where(): string {
  const node = connection.value;
  if (node?.page) {
    return node.page.status().role === "client" ? "in this page's origin, in another tab" : "in this tab, in a worker";
  }
  return `natively, at ${node?.url ?? ""}`;
}

function data(used: number | null) {
  const page = connection.value?.page;
  if (!page) {
    return "in the node's own folder";
  }
  const { storage: kind, persisted } = page.status();
  return (
    <>
      {stores[kind] ?? "with the other tab"}
      {used !== null && kind !== "memory" && `, ${bytes(used)}`}
      <small>
        {" "}
        {persisted === true ? "The browser keeps them until you delete them." : kind !== "memory" && "The browser may delete them when it runs out of space."} <a href={href("settings")}>Export and delete</a>
      </small>
    </>
  );
}
