import { useSignal } from "@preact/signals";
import { useLayoutEffect } from "preact/hooks";
import { activation, interrupted } from "../coins/activation.ts";
import { chains } from "../coins/catalog.ts";
import { find, holdings, returning } from "../coins/holdings.ts";
import { t } from "../language.ts";
import { route } from "../route.ts";
import { Check } from "../ui/check.tsx";
import { Title } from "../ui/title.tsx";
import { Active } from "./activate/active.tsx";
import { ActivateForm } from "./activate/form.tsx";
import { Done, Running } from "./activate/progress.tsx";
import { TokensForm } from "./activate/tokens.tsx";
import "../coins/coins.css";
import "./activate.css";

const OTHER = "";

/** Activates and disables coins. */
export default function Activate() {
  const now = activation.value;
  // The user has read the outcome when leaving, however soon: the next visit is for another coin.
  useLayoutEffect(() => () => void (activation.peek()?.is === "done" && (activation.value = null)), []);
  return (
    <>
      <Title text={now?.is === "running" ? t("activate.activating", { ticker: now.wanted.ticker }) : now?.is === "done" ? t("coins.active", { ticker: now.wanted.ticker }) : t("view.activate")} />
      {now?.is === "running" ? <Running wanted={now.wanted} /> : now?.is === "done" ? <Done {...now} /> : holdings.value && <Choose />}
      <Active />
    </>
  );
}

/** Returns the initial coin: the one of the page's address, otherwise one that is not active. */
function first(): string {
  const [requested] = route.peek().args;
  const before = interrupted.peek()?.ticker ?? activation.peek()?.wanted.ticker;
  const free = chains.find(({ ticker }) => !find(ticker) && !returning.peek().includes(ticker));
  return requested ?? before ?? free?.ticker ?? OTHER;
}

function Choose() {
  const ticker = useSignal(first());
  const known = chains.some((chain) => chain.ticker === ticker.value);
  return (
    <div class="narrowform">
      <fieldset class="grid">
        <legend>{t("activate.coin")}</legend>
        {chains.map((chain) => (
          <Check key={chain.ticker} name="coin" checked={ticker.value === chain.ticker} onCheck={() => (ticker.value = chain.ticker)}>
            {chain.ticker} <small>{chain.name}</small>
          </Check>
        ))}
        <Check name="coin" checked={!known} onCheck={() => (ticker.value = OTHER)}>
          {t("activate.another")}
        </Check>
      </fieldset>
      {find(ticker.value) ? <TokensForm key={ticker.value} ticker={ticker.value} /> : <ActivateForm key={known ? ticker.value : OTHER} ticker={known ? ticker.value : ""} other={known ? "" : ticker.value} />}
    </div>
  );
}
