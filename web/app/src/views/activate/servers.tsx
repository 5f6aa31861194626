import { useRef } from "preact/hooks";
import type { Chain, Family } from "../../coins/catalog.ts";
import { t } from "../../language.ts";
import { connection } from "../../node.ts";
import { Field } from "../../ui/field.tsx";
import { afterRender } from "../../ui/focus.ts";
import { rich } from "../../ui/rich.tsx";

interface Properties {
  /** Undefined if the page does not know it. */
  chain: Chain | undefined;
  family: Family;
  nodes: readonly string[];
  onNodes: (nodes: readonly string[]) => void;
  /** Returns what is wrong with the server in a line; "" if nothing. */
  error: (url: string, line: number) => string;
}

/** The editable list of a chain's servers. It always ends with an empty line. */
export function Servers({ chain, family, nodes, onNodes, error }: Properties) {
  const list = useRef<HTMLFieldSetElement>(null);
  const change = (at: number, url: string) => onNodes(nodes.map((old, n) => (n === at ? url : old)));
  const focus = (at: number) => afterRender(() => list.current?.querySelectorAll("input")[at]?.focus());
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
      <legend>{t(family === "evm" ? "activate.serversnetwork" : "activate.serverschain")}</legend>
      <Explanation chain={chain} family={family} />
      {nodes.map((url, n) => (
        <div class="server" key={n}>
          <Field label={t("activate.server", { n: n + 1 })} type="url" placeholder="https://" value={url} onText={(text) => change(n, text)} error={error(url, n)} />
          {nodes.length > 1 && (
            <button type="button" class="quiet" onClick={() => remove(n)} aria-label={t("activate.removeserver", { n: n + 1 })}>
              {t("remove")}
            </button>
          )}
        </div>
      ))}
      <div>
        <button type="button" class="quiet" onClick={add}>
          {t("activate.addserver")}
        </button>
      </div>
    </fieldset>
  );
}

function Explanation({ chain, family }: { chain: Chain | undefined; family: Family }) {
  return (
    <p>
      <small>
        {t(family === "evm" ? "activate.aboutevm" : "activate.aboutcosmos")} {t("activate.aboutservers")}{" "}
        {chain?.registry && (
          <>
            {rich("activate.registry", { link: <a href={`https://github.com/cosmos/chain-registry/blob/master/${chain.registry}/chain.json`} target="_blank" rel="noreferrer">
              {t("activate.registrylink")}
            </a> })}{" "}
          </>
        )}
        {family === "evm" && (
          <>
            {rich("activate.chainlist", { link: <a href="https://chainlist.org/" target="_blank" rel="noreferrer">
              chainlist.org
            </a> })}{" "}
          </>
        )}
        {connection.value?.kind === "page" && t("activate.cors")}
      </small>
    </p>
  );
}
