import { useRef } from "preact/hooks";
import type { Chain, Family } from "../../coins/catalog.ts";
import { connection } from "../../node.ts";
import { Field } from "../../ui/field.tsx";
import { onceShown } from "../../ui/focus.ts";

interface Properties {
  /** Undefined: the page does not know it. */
  chain: Chain | undefined;
  family: Family;
  nodes: readonly string[];
  onNodes: (nodes: readonly string[]) => void;
  /** What is wrong with the server in a line; "" if nothing is. */
  error: (url: string, line: number) => string;
}

/** The list of a chain's servers. It has a line for the next one at least. */
export function Servers({ chain, family, nodes, onNodes, error }: Properties) {
  const list = useRef<HTMLFieldSetElement>(null);
  const change = (at: number, url: string) => onNodes(nodes.map((old, n) => (n === at ? url : old)));
  const focus = (at: number) => onceShown(() => list.current?.querySelectorAll("input")[at]?.focus());
  const add = () => {
    onNodes([...nodes, ""]);
    focus(nodes.length);
  };
  const remove = (at: number) => {
    onNodes(nodes.filter((_, n) => n !== at));
    focus(Math.max(0, at - 1));
  };
  return (
    <fieldset class="column servers" ref={list}>
      <legend>Servers of the {family === "evm" ? "network" : "chain"}</legend>
      <Explanation chain={chain} family={family} />
      {nodes.map((url, n) => (
        <div class="server" key={n}>
          <Field label={`Server ${n + 1}`} type="url" placeholder="https://" value={url} onText={(text) => change(n, text)} error={error(url, n)} />
          {nodes.length > 1 && (
            <button type="button" class="quiet" onClick={() => remove(n)} aria-label={`Remove server ${n + 1}`}>
              Remove
            </button>
          )}
        </div>
      ))}
      <div>
        <button type="button" class="quiet" onClick={add}>
          Add a server
        </button>
      </div>
    </fieldset>
  );
}

function Explanation({ chain, family }: { chain: Chain | undefined; family: Family }) {
  return (
    <p>
      <small>
        Addresses of its JSON-RPC{family === "evm" ? ", such as https://… of a provider, or http://127.0.0.1:8545 of your own node" : " (CometBFT), such as http://127.0.0.1:26657"}. They see your addresses and tell your balances: take your own, or ones that you trust.
        Name several, and the next one answers when one fails.{" "}
        {chain?.registry && (
          <>
            Public ones are in the{" "}
            <a href={`https://github.com/cosmos/chain-registry/blob/master/${chain.registry}/chain.json`} target="_blank" rel="noreferrer">
              chain registry
            </a>
            .{" "}
          </>
        )}
        {family === "evm" && (
          <>
            Public ones are at{" "}
            <a href="https://chainlist.org/" target="_blank" rel="noreferrer">
              chainlist.org
            </a>
            .{" "}
          </>
        )}
        {connection.value?.kind === "page" && "The node in this page can only use servers that allow web pages (CORS)."}
      </small>
    </p>
  );
}
