import { t } from "../language.ts";
import { useEffect } from "preact/hooks";
import { go } from "../route.ts";
import { Choice } from "../ui/field.tsx";
import { useGradual } from "../ui/gradual.ts";
import { isLightning } from "./catalog.ts";
import { loadDirectory } from "./directory.ts";
import { activeTickers, coming } from "./holdings.ts";
import { fullName, networkName } from "./names.ts";

const STEP = 100; // options drawn in one frame

/**
 * A choice among the active coins, for a view about one coin. The selected ticker is in the page's address.
 * @param others also offer coins that are not active yet
 */
export function CoinChoice({ view, ticker, disabled = false, others = false }: { view: string; ticker: string; disabled?: boolean; others?: boolean }) {
  useEffect(() => void loadDirectory().catch(() => {}), []); // the directory has the symbols
  const all = [...activeTickers.value.split(" "), ...(others ? coming() : [])].filter((one) => one !== "" && !isLightning(one));
  const drawn = useGradual(all, STEP);
  return (
    <Choice label={t("view.coin")} value={ticker} disabled={disabled} onText={(chosen) => go(view, [chosen])}>
      {(drawn.includes(ticker) || !all.includes(ticker) ? drawn : [...drawn, ticker]).map((one) => (
        <option key={one} value={one}>
          {fullName(one)}
        </option>
      ))}
    </Choice>
  );
}

/** The chain of a coin or token: the same ticker may exist on several. */
export function Network({ ticker }: { ticker: string }) {
  return <span class="network">{networkName(ticker)}</span>;
}
