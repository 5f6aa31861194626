import { coinName } from "../../coins/names.ts";
import { begin, progress, steps } from "../../coins/usual.ts";
import { t } from "../../language.ts";
import { Said } from "../../words.ts";
import { Fault } from "../../ui/fault.tsx";
import { Logo } from "../../coins/logo.tsx";
import { Progress } from "../../ui/progress.tsx";

/** The progress of activating the coins of a new wallet. */
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
      {failed.some(({ coin }) => coin === "") && <Fault error={new Said(t("setup.failed"), "", failed[0]?.error)} retry={() => void begin()} />}
    </>
  );
}
