import { coinName } from "../../coins/names.ts";
import { begin, giveUp, progress, steps, type Step } from "../../coins/usual.ts";
import { t } from "../../language.ts";
import { href } from "../../route.ts";
import { describe } from "../../words.ts";
import { Icon } from "../../ui/icon.tsx";
import { Logo } from "../../coins/logo.tsx";
import { Progress } from "../../ui/progress.tsx";

/** How far the node is with the coins of a new wallet, and what it could not activate. */
export function Setup() {
  const all = steps.value;
  const { done, of } = progress.value;
  const failed = all.filter((step) => step.is === "failed");
  const open = all.filter((step) => step.is !== "failed");
  return (
    <>
      {open.length > 0 && (
        <div class="setup">
          <Progress label={t("setup.progress", { done, of })} done={done + failed.length} of={of} />
          <ul>
            {open.map(({ coin, is }) => (
              <li key={coin} data-is={is}>
                <Logo ticker={coin} />
                {coinName(coin)}
              </li>
            ))}
          </ul>
        </div>
      )}
      {failed.map((step) => (
        <Failed key={step.coin} step={step} />
      ))}
    </>
  );
}

function Failed({ step: { coin, error } }: { step: Step }) {
  const { what } = describe(error);
  return (
    <div class="note warn failed" role="status">
      <p>
        <strong>{coin === "" ? t("setup.failed") : t("setup.failedcoin", { coin: coinName(coin) })}</strong> {what}
      </p>
      <p class="acts">
        <button type="button" class="quiet" onClick={() => void begin()}>
          {t("again")}
        </button>
        {coin !== "" && (
          <>
            <a href={href("activate", [coin])}>{t("coin.otherservers")}</a>
            <button type="button" class="icononly" aria-label={t("setup.without", { coin: coinName(coin) })} onClick={() => giveUp(coin)}>
              <Icon name="close" />
            </button>
          </>
        )}
      </p>
    </div>
  );
}
