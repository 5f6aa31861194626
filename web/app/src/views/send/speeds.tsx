import type { Methods } from "obverse";
import { speedFee, type Speed } from "../../coins/speeds.ts";
import { t } from "../../language.ts";
import { rounded } from "../../money.ts";
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
          <small>{value.value ? about(speedFee(value.value, one)) : "…"}</small>
        </Check>
      ))}
    </fieldset>
  );
}

const MILLI = 1000;

/** The price of gas, and how long it takes if the node says so. */
function about({ max_fee_per_gas: price, max_wait_time: wait }: Level): string {
  const most = t("send.gasprice", { price: rounded(price) });
  return wait === null ? most : `${most}, ${t("send.wait", { seconds: Math.ceil(wait / MILLI) })}`;
}
