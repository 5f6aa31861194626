import { t } from "../language.ts";
import { go } from "../route.ts";
import { Choice } from "../ui/field.tsx";
import { isLightning, nameOf, networkOf } from "./catalog.ts";
import { holdings } from "./holdings.ts";

/** One of the active coins, for a view that is about one: its address has the ticker. */
export function CoinChoice({ view, ticker, disabled = false }: { view: string; ticker: string; disabled?: boolean }) {
  return (
    <Choice label={t("view.coin")} value={ticker} disabled={disabled} onText={(chosen) => go(view, [chosen])}>
      {(holdings.value ?? []).filter((holding) => !isLightning(holding.ticker)).map((holding) => (
        <option key={holding.ticker} value={holding.ticker}>
          {nameOf(holding.ticker) === holding.ticker ? holding.ticker : `${holding.ticker} – ${nameOf(holding.ticker)}`}
        </option>
      ))}
    </Choice>
  );
}

/** On which chain something is: the same ticker may be on several. */
export function Network({ ticker }: { ticker: string }) {
  return <span class="network">{networkOf(ticker)}</span>;
}
