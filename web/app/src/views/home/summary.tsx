import { isUnfunded } from "../../coins/order.ts";
import { sum, prices, pricesFailed } from "../../coins/prices.ts";
import { watched } from "../../coins/watched.ts";
import { t } from "../../language.ts";
import { money, percent } from "../../money.ts";
import { hideAmounts, withPrices } from "../../privacy.ts";
import { href } from "../../route.ts";
import { Icon } from "../../ui/icon.tsx";
import { when } from "../../ui/when.ts";

const labels = { send: "view.send", receive: "view.receive" } as const;

/** The total value, and the two most frequent actions. */
export function Summary() {
  const hidden = hideAmounts.get();
  const known = sum.value;
  return (
    <section class="summary" aria-label={t("home.total")}>
      <div>
        <p class="total">
          {hidden ? <span role="img" aria-label={t("amount.hidden")}>••••••</span> : known ? money(known.value, prices.value?.currency) : <span class="muted">{withPrices.get() && !pricesFailed.value && prices.value === null ? "…" : "–"}</span>}
          <button type="button" class="icononly" aria-pressed={hidden} aria-label={t("home.hide")} onClick={() => hideAmounts.set(!hidden)}>
            <Icon name={hidden ? "eye-off" : "eye"} />
          </button>
        </p>
        <p class="under">{isUnfunded() ? <small>{t("home.unfunded")}</small> : !hidden && known ? prices.value?.at ? <small>{t("prices.asof", { time: when(new Date(prices.value.at)) })}</small> : <Change part={known.change} text={t("home.day")} /> : <small>{pricesFailed.value ? t("prices.failed") : withPrices.get() ? " " : t("prices.off")}</small>}</p>
      </div>
      <p class="acts">
        {(isUnfunded() ? (["receive", "send"] as const) : (["send", "receive"] as const))
          .filter((view) => view === "receive" || watched() === undefined)
          .map((view) => (
            <a key={view} class="act" href={href(view)}>
              <Icon name={view} />
              {t(labels[view])}
            </a>
          ))}
      </p>
    </section>
  );
}

/** A change in percent, with a sign in addition to its colour. */
export function Change({ part, text = "" }: { part: number; text?: string }) {
  return (
    <small class={part > 0 ? "up" : part < 0 ? "down" : ""}>
      {percent(part)} {text}
    </small>
  );
}
