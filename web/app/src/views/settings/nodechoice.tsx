import { useSignal } from "@preact/signals";
import { t } from "../../language.ts";
import { profile, setUp, use } from "../../session/session.ts";
import { Check } from "../../ui/check.tsx";
import { ConnectForm } from "../../ui/connect.tsx";

/** Which node does the work. */
export function NodeChoice() {
  const { use: used, page, native } = profile.value ?? {};
  const connecting = useSignal(false);
  return (
    <section class="settings">
      <h2>Node</h2>
      <fieldset class="column">
        <legend class="unseen">Which node does the work</legend>
        <Check name="node" checked={used === "page" && !connecting.value} onCheck={() => (used === "page" ? (connecting.value = false) : page ? void use("page") : setUp())}>
          The node in this page
        </Check>
        <Check name="node" checked={used === "native" || connecting.value} onCheck={() => (native && used === "page" ? void use("native") : (connecting.value = true))}>
          {native ? `The node at ${native.url}` : "A native node"}
        </Check>
      </fieldset>
      {connecting.value && <ConnectForm back={() => (connecting.value = false)} />}
      {native && !connecting.value && (
        <button type="button" class="secondary" onClick={() => (connecting.value = true)}>
          Connect again, or to another node
        </button>
      )}
      {used === "page" && !connecting.value && (
        <details>
          <summary>Another wallet in this page</summary>
          <p>{t("wallets.addabout")}</p>
          <button type="button" class="secondary" onClick={setUp}>
            Set up another wallet
          </button>
        </details>
      )}
    </section>
  );
}
