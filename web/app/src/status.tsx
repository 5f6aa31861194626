/** How the node and the network are. */

import { t } from "./language.ts";
import { connection, online, state } from "./node.ts";
import { newer } from "./session/worker.ts";
import { Icon } from "./ui/icon.tsx";

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
    <div class="banner" role="status" hidden={text === "" && !newer.value}>
      {text ||
        (newer.value && (
          <>
            {t("frame.newer")}{" "}
            <button type="button" class="quiet" onClick={() => location.reload()}>
              {t("frame.reload")}
            </button>
            <button type="button" class="icononly" aria-label={t("frame.later")} onClick={() => (newer.value = false)}>
              <Icon name="close" />
            </button>
          </>
        ))}
    </div>
  );
}
