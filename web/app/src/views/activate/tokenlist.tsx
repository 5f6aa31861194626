import { tokens as allTokens, type Family } from "../../coins/catalog.ts";
import { t } from "../../language.ts";
import { Check } from "../../ui/check.tsx";
import { Field } from "../../ui/field.tsx";

interface Properties {
  platform: string;
  family: Family;
  /** Those of the list that are ticked. */
  chosen: readonly string[];
  onToggle: (token: string, on: boolean) => void;
  /** Those that are not offered. */
  without?: readonly string[];
  /** Tickers that were typed, of tokens that the page does not know. */
  typed: string;
  onTyped: (text: string) => void;
}

/** Tickers in a text, each once. */
export const tickersIn = (text: string): string[] => [...new Set(text.split(/[\s,;]+/).filter(Boolean))];

/** Tokens of a chain, to tick; and on an EVM network those that only the node knows, to type. */
export function TokenList({ platform, family, chosen, onToggle, without = [], typed, onTyped }: Properties) {
  const list = allTokens.filter((token) => token.platform === platform && !without.includes(token.ticker));
  const evm = family === "evm";
  return (
    <>
      {list.length > 0 && (
        <fieldset class="column">
          <legend>{t(evm ? "activate.tokensnetwork" : "activate.tokenschain")}</legend>
          {list.map(({ ticker, name }) => (
            <Check key={ticker} checked={chosen.includes(ticker)} onCheck={(on) => onToggle(ticker, on)}>
              {ticker} <small>{evm ? name : t("activate.overibc", { name })}</small>
            </Check>
          ))}
        </fieldset>
      )}
      {evm && <Field label={list.length > 0 ? t("activate.othererc") : t("activate.erc")} hint={t("activate.erchint")} value={typed} onText={onTyped} />}
    </>
  );
}
