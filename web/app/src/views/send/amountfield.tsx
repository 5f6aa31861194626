import { useLayoutEffect } from "preact/hooks";
import type { Holding } from "../../coins/holdings.ts";
import { symbolOf } from "../../coins/names.ts";
import { decimalsOf } from "../../coins/payable.ts";
import { priceOf, prices, valueOf } from "../../coins/prices.ts";
import type { Draft } from "../../coins/sending.ts";
import { plainDecimal, product, quotient } from "../../decimal.ts";
import { t } from "../../language.ts";
import { entered, money, written } from "../../money.ts";
import { fiat as chosen } from "../../privacy.ts";
import { Amount } from "../../ui/amount.tsx";
import { Field } from "../../ui/field.tsx";

const CENTS = 2;

export interface AmountProperties {
  holding: Holding;
  draft: Draft;
  onChange: (news: Partial<Draft>) => void;
  error: string | undefined;
  disabled: boolean;
  /** The coin that pays the fee, if it is another one. */
  platform: string | null;
}

/** The amount in the coin, or in the currency of prices, which is converted at each price and rounded down. Without a current price in that currency, it is in the coin. */
export function AmountField({ holding: { ticker, balance, error: unread }, draft: { amount, fiat, rate, all }, onChange, error, disabled, platform }: AmountProperties) {
  const price = plainDecimal(priceOf(ticker)?.price ?? "");
  const decimals = decimalsOf(ticker);
  const currency = (prices.value?.currency ?? chosen.value).toUpperCase();
  const convertible = price !== null && decimals !== undefined;
  /** Converts an amount in the currency. A text that is not a number stays unchanged, with an error below it. */
  const inCoins = (text: string) => ((cost) => (cost === null ? text : convertible ? written(quotient(cost, price, decimals) ?? "") : ""))(entered(text));
  const type = (text: string) => onChange(fiat === null ? { amount: text, all: false } : { amount: inCoins(text), fiat: text, all: false });
  const turn = () => {
    const now = entered(amount);
    onChange(fiat === null ? { rate: { currency, price }, fiat: now === null || !convertible ? "" : written(product(now, price, CENTS)), ...(now === null ? { amount: "" } : {}) } : { fiat: null, amount: now === null ? amount : written(now) });
  };
  useLayoutEffect(() => {
    if (fiat !== null && !disabled) {
      if (!convertible || rate?.currency !== currency) {
        onChange({ fiat: null });
      } else if (rate.price !== price) {
        onChange({ amount: inCoins(fiat), rate: { currency, price } });
      }
    }
  }, [price, currency, disabled]);
  const value = all ? balance?.spendable : entered(amount);
  return (
    <div class="howmuch">
      <Field
        label={t("send.amount", { unit: fiat === null ? symbolOf(ticker) : currency })}
        name="amount"
        inputMode="decimal"
        value={all ? "" : (fiat ?? amount)}
        placeholder={!all ? "" : t(platform ? "send.all" : "send.allbutfee")}
        onText={type}
        error={error}
        hint={
          <>
            {convertible && (
              <span class="counterpart">
                {value != null && (fiat === null || all ? `≈ ${money(valueOf(ticker, value) ?? 0, currency)}` : <Amount value={value} unit={symbolOf(ticker)} />)}
              </span>
            )}
            <span class={platform ? "spendable long" : "spendable"}>
              {t("send.have")} {balance || unread ? <Amount value={balance?.spendable ?? null} unit={symbolOf(ticker)} /> : "…"}
              {platform ? t("send.platformfee", { platform: symbolOf(platform) }) : t("send.lessfee")}
            </span>
          </>
        }
        disabled={disabled}
        required
        after={
          <>
            {(convertible || fiat !== null) && (
              <button type="button" class="quiet" disabled={disabled} onClick={turn} aria-label={t("send.enterin", { unit: fiat === null ? currency : symbolOf(ticker) })}>
                {fiat === null ? currency : symbolOf(ticker)}
              </button>
            )}
            <button type="button" class="quiet" disabled={disabled} aria-pressed={all} onClick={() => onChange({ all: !all })} aria-label={t("send.max")}>
              {t("send.most")}
            </button>
          </>
        }
      />
    </div>
  );
}
