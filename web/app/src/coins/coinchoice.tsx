import { t } from "../language.ts";
import { useEffect } from "preact/hooks";
import { go } from "../route.ts";
import { Choice } from "../ui/field.tsx";
import { isLightning } from "./catalog.ts";
import { loadDirectory } from "./directory.ts";
import { activeTickers, coming } from "./holdings.ts";
import { fullName, networkName } from "./names.ts";

/**
 * One of the active coins, for a view that is about one: its address has the ticker.
 * @param others coins that are not active yet are offered too
 */
export function CoinChoice({ view, ticker, disabled = false, others = false }: { view: string; ticker: string; disabled?: boolean; others?: boolean }) {
  useEffect(() => void loadDirectory().catch(() => {}), []); // it has the symbols
  return (
    <Choice label={t("view.coin")} value={ticker} disabled={disabled} onText={(chosen) => go(view, [chosen])}>
      {[...activeTickers.value.split(" "), ...(others ? coming() : [])]
        .filter((one) => one !== "" && !isLightning(one))
        .map((one) => (
          <option key={one} value={one}>
            {fullName(one)}
          </option>
        ))}
    </Choice>
  );
}

/** On which chain something is: the same ticker may be on several. */
export function Network({ ticker }: { ticker: string }) {
  return <span class="network">{networkName(ticker)}</span>;
}
