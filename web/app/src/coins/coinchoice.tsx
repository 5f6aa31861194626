import { t } from "../language.ts";
import { useEffect } from "preact/hooks";
import { go } from "../route.ts";
import { Choice } from "../ui/field.tsx";
import { isLightning } from "./catalog.ts";
import { loadDirectory } from "./directory.ts";
import { holdings } from "./holdings.ts";
import { fullName, networkName } from "./names.ts";

/** One of the active coins, for a view that is about one: its address has the ticker. */
export function CoinChoice({ view, ticker, disabled = false }: { view: string; ticker: string; disabled?: boolean }) {
  useEffect(() => void loadDirectory().catch(() => {}), []); // it has the symbols
  return (
    <Choice label={t("view.coin")} value={ticker} disabled={disabled} onText={(chosen) => go(view, [chosen])}>
      {(holdings.value ?? []).filter((holding) => !isLightning(holding.ticker)).map((holding) => (
        <option key={holding.ticker} value={holding.ticker}>
          {fullName(holding.ticker)}
        </option>
      ))}
    </Choice>
  );
}

/** On which chain something is: the same ticker may be on several. */
export function Network({ ticker }: { ticker: string }) {
  return <span class="network">{networkName(ticker)}</span>;
}
