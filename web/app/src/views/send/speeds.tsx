import { platformOf } from "../../coins/catalog.ts";
import { symbolOf } from "../../coins/names.ts";
import { prices, valueOf } from "../../coins/prices.ts";
import { offers, SPEEDS, type Offer, type Speed } from "../../coins/speeds.ts";
import { t } from "../../language.ts";
import { money, rounded, shortened, written } from "../../money.ts";
import { Check } from "../../ui/check.tsx";
import { useEvery } from "../../ui/every.ts";
import { useLoad } from "../../ui/task.ts";

const LOOK = 15_000; // ms between two requests for the fees
const names = { slow: "send.slow", normal: "send.normal", fast: "send.fast" } as const;

/** The choice of a transaction's speed by its gas price. Networks without such levels have no choice. */
export function Speeds({ ticker, speed, onSpeed, disabled }: { ticker: string; speed: Speed; onSpeed: (speed: Speed) => void; disabled: boolean }) {
  const { value, error } = useLoad(() => offers(ticker), [ticker], useEvery(LOOK));
  if (error.value && !value.value) {
    return null;
  }
  return (
    <fieldset class="speeds">
      <legend>{t("send.speed")}</legend>
      {SPEEDS.map((one) => (
        <Check key={one} name="speed" checked={speed === one} onCheck={() => onSpeed(one)} disabled={disabled}>
          {t(names[one])}
          {value.value ? <Cost ticker={ticker} offer={value.value[one]} /> : <small>…</small>}
        </Check>
      ))}
    </fieldset>
  );
}

const MILLI = 1000;

/** The approximate cost of a transfer, and its duration if the node knows it; the gas price is a detail. */
function Cost({ ticker, offer: { cost, price, wait } }: { ticker: string; offer: Offer }) {
  const coin = platformOf(ticker) ?? ticker;
  const value = valueOf(coin, cost);
  return (
    <>
      <small>
        ≈ {value !== null && `${money(value, prices.value?.currency)}, `}
        {written(shortened(cost))} {symbolOf(coin)}
        {wait !== null && `, ${t("send.wait", { seconds: Math.ceil(wait / MILLI) })}`}
      </small>
      {price !== null && <small class="muted">{t("send.gasprice", { price: rounded(price) })}</small>}
    </>
  );
}
