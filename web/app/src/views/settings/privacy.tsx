import { useEffect } from "preact/hooks";
import { loadDirectory } from "../../coins/directory.ts";
import { prices } from "../../coins/prices.ts";
import { t } from "../../language.ts";
import { money } from "../../money.ts";
import { connection } from "../../node.ts";
import { fiat, hideSmall, publicServers, setFiat, SMALL, withPrices } from "../../privacy.ts";
import { Check } from "../../ui/check.tsx";
import { Choice } from "../../ui/field.tsx";
import { Outgoing } from "./outgoing.tsx";

const CURRENCIES = ["usd", "eur", "gbp", "chf", "jpy", "cny", "inr", "brl"];

/** The services that the page uses, and what they learn. */
export function Privacy() {
  useEffect(() => void loadDirectory().catch(() => {}), []);
  return (
    <section class="settings asks">
      <h2>{t("privacy.title")}</h2>
      <Check checked={withPrices.get()} onCheck={withPrices.set}>
        {t("privacy.prices")} <small>{t("privacy.pricesabout", { host: prices.value?.host || "api.coingecko.com" })}</small>
      </Check>
      {withPrices.get() && (
        <Choice label={t("privacy.currency")} value={fiat.value} onText={setFiat}>
          {CURRENCIES.map((currency) => (
            <option key={currency} value={currency}>
              {currency.toUpperCase()}
            </option>
          ))}
        </Choice>
      )}
      <Check checked={hideSmall.get()} onCheck={hideSmall.set}>
        {t("privacy.small", { value: money(SMALL) })}
      </Check>
      <Check checked={publicServers.get()} onCheck={publicServers.set}>
        {t("privacy.servers")} <small>{t("privacy.serversabout")}</small>
      </Check>
      {connection.value && <Outgoing />}
    </section>
  );
}
