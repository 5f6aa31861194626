import type { Methods } from "obverse";
import { platformOf } from "../../coins/catalog.ts";
import { symbolOf } from "../../coins/names.ts";
import { prices, valueOf } from "../../coins/prices.ts";
import { speedFee, type Speed } from "../../coins/speeds.ts";
import { product } from "../../decimal.ts";
import { t } from "../../language.ts";
import { money, rounded, shortened } from "../../money.ts";
import { rpc } from "../../node.ts";
import { Check } from "../../ui/check.tsx";
import { useEvery } from "../../ui/every.ts";
import { useLoad } from "../../ui/task.ts";

type Level = Methods["get_eth_estimated_fee_per_gas"]["result"]["low"];

const LOOK = 15_000; // ms between two looks at the fees
const names = { slow: "send.slow", normal: "send.normal", fast: "send.fast" } as const;

/** How fast a transaction is to be, by what it offers for gas. A network without such levels has no choice. */
export function Speeds({ ticker, speed, onSpeed, disabled }: { ticker: string; speed: Speed; onSpeed: (speed: Speed) => void; disabled: boolean }) {
  const { value, error } = useLoad(() => rpc("get_eth_estimated_fee_per_gas", { coin: ticker }), [ticker], useEvery(LOOK));
  if (error.value && !value.value) {
    return null;
  }
  return (
    <fieldset class="speeds">
      <legend>{t("send.speed")}</legend>
      {(["slow", "normal", "fast"] as const).map((one) => (
        <Check key={one} name="speed" checked={speed === one} onCheck={() => onSpeed(one)} disabled={disabled}>
          {t(names[one])}
          {value.value ? <Offer ticker={ticker} level={speedFee(value.value, one)} /> : <small>…</small>}
        </Check>
      ))}
    </fieldset>
  );
}

const MILLI = 1000;

/** What most transfers of a coin and of a token need, in units of gas. */
const COIN_GAS = "21000";
const TOKEN_GAS = "65000";

/** What a transfer costs about, and how long it takes if the node says so; the price of gas is a detail. */
function Offer({ ticker, level: { max_fee_per_gas: price, max_wait_time: wait } }: { ticker: string; level: Level }) {
  const platform = platformOf(ticker);
  const coin = platform ?? ticker;
  const cost = product(product(price, platform ? TOKEN_GAS : COIN_GAS, 9), "0.000000001", 18);
  const value = valueOf(coin, cost);
  return (
    <>
      <small>
        ≈ {value !== null && `${money(value, prices.value?.currency)}, `}
        {shortened(cost)} {symbolOf(coin)}
        {wait !== null && `, ${t("send.wait", { seconds: Math.ceil(wait / MILLI) })}`}
      </small>
      <small class="muted">{t("send.gasprice", { price: rounded(price) })}</small>
    </>
  );
}
