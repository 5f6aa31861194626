/** The state of the node and the network. */

import { t } from "./language.ts";
import { connection, online, state } from "./node.ts";
import { newer } from "./session/worker.ts";
import { Icon } from "./ui/icon.tsx";

const kinds = { page: "frame.inpage", native: "frame.native" } as const;
const hows = { off: "frame.off", starting: "frame.starting", on: "frame.on", lost: "frame.silent", failed: "frame.failed" } as const;

/** A line in the header: the current node and its state. */
export function NodeStatus() {
  const { is } = state.value;
  const which = t(connection.value ? kinds[connection.value.kind] : "view.node");
  const quiet = is === "on" && connection.value?.kind === "page"; // the normal state, which needs no words
  return (
    <p class="status" data-state={is} title={which}>
      <span class={quiet ? "unseen" : ""}>{which}</span>
      <span class={is === "on" ? "unseen" : ""}>: {t(hows[is])}</span>
    </p>
  );
}

/** An important notice above every view. It does not shift the page. */
export function Banner() {
  const text = !online.value ? t("frame.offline") : state.value.is === "lost" ? t("frame.retrying") : "";
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
