import { useSignal } from "@preact/signals";
import { t } from "../../language.ts";
import { profile, setUp } from "../../session/session.ts";
import { use } from "../../session/wallets.ts";
import { Check } from "../../ui/check.tsx";
import { ConnectForm } from "../../ui/connect.tsx";

/** {t("native.which")}. */
export function NodeChoice() {
  const { use: used, page, native } = profile.value ?? {};
  const connecting = useSignal(false);
  return (
    <section class="settings">
      <h2>{t("view.node")}</h2>
      <fieldset class="column">
        <legend class="unseen">{t("native.which")}</legend>
        <Check name="node" checked={used === "page" && !connecting.value} onCheck={() => (used === "page" ? (connecting.value = false) : page ? void use("page") : setUp())}>
          {t("native.inpage")}
        </Check>
        <Check name="node" checked={used === "native" || connecting.value} onCheck={() => (native && used === "page" ? void use("native") : (connecting.value = true))}>
          {native ? t("unlock.node", { url: native.url }) : t("native.anative")}
        </Check>
      </fieldset>
      {connecting.value && <ConnectForm back={() => (connecting.value = false)} />}
      {native && !connecting.value && (
        <button type="button" class="secondary" onClick={() => (connecting.value = true)}>
          {t("native.again")}
        </button>
      )}
      {used === "page" && !connecting.value && (
        <details>
          <summary>{t("native.another")}</summary>
          <p>{t("wallets.addabout")}</p>
          <button type="button" class="secondary" onClick={setUp}>
            {t("native.setup")}
          </button>
        </details>
      )}
    </section>
  );
}
