/** How the node and the network are. */

import { connection, online, state } from "./node.ts";

const kinds = { page: "Node in this page", native: "Native node" };

/** A line in the header: which node, and how it is. */
export function NodeStatus() {
  const { is } = state.value;
  const which = connection.value ? kinds[connection.value.kind] : "Node";
  const how = { off: "off", starting: "starting", on: "on", lost: "does not answer", failed: "failed" }[is];
  const quiet = is === "on" && connection.value?.kind === "page"; // the usual, which needs no words
  return (
    <p class="status" data-state={is} title={which}>
      <span class={quiet ? "unseen" : ""}>{which}</span>
      <span class={is === "on" ? "unseen" : ""}>: {how}</span>
    </p>
  );
}

/** What the user should know now, above every view. It moves nothing. */
export function Banner() {
  const text = !online.value
    ? "Offline. Balances and histories may be outdated, and you cannot send coins."
    : state.value.is === "lost"
      ? "The node does not answer. Retrying; what you see may be outdated."
      : "";
  return (
    <div class="banner" role="status" hidden={text === ""}>
      {text}
    </div>
  );
}
