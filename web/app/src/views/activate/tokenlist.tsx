import { tokens as allTokens, type Family } from "../../coins/catalog.ts";
import { t } from "../../language.ts";
import { Check } from "../../ui/check.tsx";
import { Field } from "../../ui/field.tsx";

interface Properties {
  platform: string;
  family: Family;
  /** The selected tokens of the list. */
  chosen: readonly string[];
  onToggle: (token: string, on: boolean) => void;
  /** The tokens to leave out. */
  without?: readonly string[];
  /** Entered tickers of tokens that the page does not know. */
  typed: string;
  onTyped: (text: string) => void;
}

/** Returns the tickers in a text, each once. */
export const tickersIn = (text: string): string[] => [...new Set(text.split(/[\s,;]+/).filter(Boolean))];

/** Check boxes for the tokens of a chain; on an EVM network also a field for tokens that only the node knows. */
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
