import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { isLightning, platformOf } from "../../coins/catalog.ts";
import { returning, total, type Holding } from "../../coins/holdings.ts";
import { lastKnown } from "../../coins/lastknown.ts";
import { Logo } from "../../coins/logo.tsx";
import { coinName, fullName, symbolOf } from "../../coins/names.ts";
import { priceOf, prices } from "../../coins/prices.ts";
import { t } from "../../language.ts";
import { money } from "../../money.ts";
import { online } from "../../node.ts";
import { hideAmounts } from "../../privacy.ts";
import { href } from "../../route.ts";
import { Short } from "../../ui/short.tsx";
import { when } from "../../ui/when.ts";
import { Change } from "./summary.tsx";

/** A coin or token with its balance and value. The whole row links to the coin. */
export function Coin({ holding, value }: { holding: Holding; value: number | null }) {
  const { ticker, balance, error } = holding;
  const lightning = isLightning(ticker);
  const change = priceOf(ticker)?.change_24h;
  return (
    <li class="coin" data-coin={ticker}>
      <a class="row" href={lightning ? href("lightning", [ticker]) : href("coin", [ticker])}>
        <Logo ticker={ticker} />
        <Names ticker={ticker} />
        <span class="held">
          {lightning ? <small>{t("coin.lightning")}</small> : balance ? <Short value={total(balance)} unit={symbolOf(ticker)} /> : error ? <Last ticker={ticker} otherwise={<Short value={null} />} /> : <span class="bone line" aria-label={t("coin.loading")} role="img" />}
          <small class="worth">
            {value !== null && !hideAmounts.get() && money(value, prices.value?.currency)} {change !== undefined && <Change part={Number(change) / 100} />}
          </small>
        </span>
      </a>
      {balance && !lightning && balance.unspendable !== "0" && (
        <p class="note">
          <Short value={balance.spendable} /> {t("coin.spendable")} <Short value={balance.unspendable} /> {t("coin.unspendable")}
        </p>
      )}
      {Boolean(error) && !balance && !lightning && (
        <p class="note">
          <Since ticker={ticker} />
        </p>
      )}
    </li>
  );
}

/** The last known balance. */
function Last({ ticker, otherwise }: { ticker: string; otherwise: ComponentChildren }) {
  const last = lastKnown(ticker);
  return last ? <Short value={last.amount} unit={symbolOf(ticker)} /> : <>{otherwise}</>;
}

/** The time of the last known balance. */
function Since({ ticker }: { ticker: string }) {
  const last = lastKnown(ticker);
  return last ? <>{t("coin.lastknown", { time: when(new Date(last.at)) })} </> : null;
}

/** The name, the symbol and the network of a coin, each once. */
export function Names({ ticker }: { ticker: string }) {
  const name = coinName(ticker);
  return (
    <span class="names">
      <strong>{name}</strong>
      <small>{fullName(ticker, name)}</small>
    </span>
  );
}

const LATE = 2000; // ms; most coins are restored by then

/** A coin that the node is still restoring after a restart. An explanation appears only if that takes long. */
export function Returning({ ticker, value }: { ticker: string; value: number | null }) {
  const late = useSignal(false);
  useEffect(() => {
    const timer = setTimeout(() => (late.value = true), LATE);
    return () => clearTimeout(timer);
  }, []);
  const platform = platformOf(ticker);
  const after = platform !== null && returning.value.includes(platform);
  return (
    <li class="coin returning" data-coin={ticker}>
      <span class="row">
        <Logo ticker={ticker} />
        <Names ticker={ticker} />
        <span class="held">
          <Last ticker={ticker} otherwise={<small>{t("coin.notyet")}</small>} />
          {value !== null && <small class="worth">{!hideAmounts.get() && money(value, prices.value?.currency)}</small>}
        </span>
      </span>
      {late.value && (
        <p class="note">
          <Since ticker={ticker} />
          {online.value && after && t("coin.after", { platform: coinName(platform) })}
        </p>
      )}
    </li>
  );
}
