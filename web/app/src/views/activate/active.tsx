import { useSignal } from "@preact/signals";
import { disable } from "../../coins/activation.ts";
import { isLightning, isNftNetwork, nameOf, platformOf } from "../../coins/catalog.ts";
import { find, holdings, nftNetworks, returning } from "../../coins/holdings.ts";
import { t } from "../../language.ts";
import { Button } from "../../ui/button.tsx";
import { Check } from "../../ui/check.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Fault } from "../../ui/fault.tsx";
import { useTask } from "../../ui/task.ts";
import { ServerNames } from "./serverlist.tsx";

/** The coins that are active or being restored, with buttons to disable them. */
export function Active() {
  const confirming = useSignal<string | null>(null);
  const active = [...(holdings.value ?? []).map(({ ticker }) => ticker), ...nftNetworks.value];
  const all = [...active, ...returning.value];
  if (all.length === 0) {
    return null;
  }
  return (
    <section class="narrowform active">
      <h2>{t("activate.active")}</h2>
      <ul>
        {all.map((ticker) => (
          <li key={ticker}>
            <span>
              {ticker} <small>{active.includes(ticker) ? (nameOf(ticker) === ticker ? "" : nameOf(ticker)) : t("activate.restoring")}</small>
            </span>
            <button type="button" class="quiet" onClick={() => (confirming.value = ticker)} aria-label={t("activate.disableone", { ticker })}>
              {t("activate.disable")}
            </button>
          </li>
        ))}
      </ul>
      {confirming.value !== null && <Disable ticker={confirming.value} tokens={all.filter((token) => platformOf(token) === confirming.value)} onClose={() => (confirming.value = null)} />}
    </section>
  );
}

function Disable({ ticker, tokens, onClose }: { ticker: string; tokens: string[]; onClose: () => void }) {
  const withTokens = useSignal(true);
  const task = useTask(async () => {
    await disable(ticker, withTokens.peek());
    onClose();
  });
  return (
    <Dialog title={t("activate.disableask", { ticker })} onClose={onClose}>
      <p>{t(isNftNetwork(ticker) ? "activate.disablenfts" : "activate.disablecoin")}</p>
      {find(ticker)?.platform === null && !isLightning(ticker) && <ServerNames ticker={ticker} />}
      {tokens.length > 0 && (
        <Check checked={withTokens.value} onCheck={(on) => (withTokens.value = on)}>
          {tokens.every(isNftNetwork) ? t("activate.withnfts") : t("activate.withtokens", { tokens: tokens.join(", ") })}
        </Check>
      )}
      {tokens.length > 0 && !withTokens.value && <p>{t("activate.serverskept")}</p>}
      <Fault error={task.error.value} />
      <div class="actions">
        <Button type="button" busy={task.busy.value} onClick={() => void task.run()}>
          {t("activate.disable")}
        </Button>
        <button type="button" class="secondary" onClick={onClose}>
          {t("cancel")}
        </button>
      </div>
    </Dialog>
  );
}
