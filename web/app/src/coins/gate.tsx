import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { t } from "../language.ts";
import { href, route } from "../route.ts";
import { Fault } from "../ui/fault.tsx";
import { Progress } from "../ui/progress.tsx";
import { rich } from "../ui/rich.tsx";
import { isLightning, platformOf } from "./catalog.ts";
import { coming as yetToCome, failure, holdings, refresh, type Holding } from "./holdings.ts";
import { lines } from "./order.ts";
import { useOwnAddress } from "./ownaddress.ts";
import { Underway } from "./underway.tsx";
import { Unreachable } from "./unreachable.tsx";
import "./coins.css";

/**
 * Renders a view of one coin, or the reason why it is missing and the remedy. todo completes the sentence
 * "Activate it, ". The child receives the coin in the page's address, or the first coin of Home, which stays the same
 * while the order there changes.
 * @param waiting renders a coin that is not active yet; its balance is unknown
 */
export function Gate({ todo, children, waiting }: { todo: string; children: (holding: Holding) => ComponentChildren; waiting?: (holding: Holding) => ComponentChildren }) {
  const list = holdings.value;
  const [requested] = route.value.args;
  const first = useRef<string | undefined>(undefined);
  const isFirst = ({ ticker }: { ticker: string }) => ticker === first.current;
  if (requested === undefined && !(list ?? []).some(isFirst)) {
    first.current = lines().find(({ holding }) => holding && !isLightning(holding.ticker))?.ticker;
  }
  if (list === null) {
    return failure.value ? <Fault error={failure.value} retry={() => void refresh()} /> : <Progress label={t("coins.looking")} />;
  }
  if (requested !== undefined && isLightning(requested)) {
    return (
      <p>
        {rich("coins.lightning", { coin: requested, link: <a href={href("lightning", [requested])}>{t("coins.lightninglink")}</a> })}
      </p>
    );
  }
  const holding = list.find(requested === undefined ? isFirst : ({ ticker }) => ticker === requested);
  if (holding) {
    return <>{children(holding)}</>;
  }
  const lightning = requested === undefined ? list.map(({ ticker }) => ticker).filter(isLightning) : [];
  const none = () => (lightning.length > 0 ? t("coins.onlylightning", { coins: lightning.join(", "), count: lightning.length, todo }) : t("coins.noneactive", { todo }));
  const others = yetToCome();
  const coming = requested === undefined ? others.length > 0 : others.includes(requested);
  const ticker = requested ?? others.find((one) => !isLightning(one));
  if (waiting && coming && ticker !== undefined) {
    return (
      <>
        <Unreachable />
        <Inactive key={ticker} ticker={ticker}>
          {waiting}
        </Inactive>
      </>
    );
  }
  return (
    <>
      <Underway />
      <Unreachable />
      <p>{coming ? t("coins.restoring", { coins: requested ?? t("coins.yourcoins") }) : requested === undefined ? none() : t("coins.inactive", { coin: requested, todo })}</p>
      <p>
        <a class="go" href={href("activate", requested === undefined ? [] : [requested])}>
          {coming ? t("coin.otherservers") : t("view.activate")}
        </a>
      </p>
    </>
  );
}

/** A coin of the wallet while no server of its network responds. */
function Inactive({ ticker, children }: { ticker: string; children: (holding: Holding) => ComponentChildren }) {
  const address = useOwnAddress(ticker);
  return <>{children({ ticker, platform: platformOf(ticker), address: address ?? "", balance: null, error: null })}</>;
}
