import { contactOf } from "../../coins/contacts.ts";
import { Logo } from "../../coins/logo.tsx";
import { networkName, symbolOf } from "../../coins/names.ts";
import { prices, valueOf } from "../../coins/prices.ts";
import { t } from "../../language.ts";
import { money } from "../../money.ts";
import { hideAmounts } from "../../privacy.ts";
import { Short } from "../../ui/short.tsx";
import { headTail } from "../../ui/tail.ts";
import { rich } from "../../ui/rich.tsx";
import type { Item } from "./list.ts";

/** A transaction in one line; a click opens its details. */
export function Row({ item, onOpen }: { item: Item; onOpen: () => void }) {
  const { coin, what, change, time, pending, others } = item;
  const incoming = !change.startsWith("-") && change !== "0";
  const value = valueOf(coin, change.replace(/^-/, ""));
  return (
    <li>
      <button type="button" class="row" onClick={onOpen} aria-haspopup="dialog">
        <Logo ticker={coin} />
        <span class="names">
          <strong>{what}</strong>
          <small>{pending ? t("activity.waiting") : others[0] ? rich(incoming ? "activity.from" : "activity.to", { who: <bdi>{contactOf(others[0])?.name ?? headTail(others[0])}</bdi> }) : networkName(coin)}</small>
        </span>
        <span class="held">
          <span class={incoming ? "up" : ""}>
            {incoming && "+"}
            {change !== "0" && <Short value={change} unit={symbolOf(coin)} />}
          </span>
          <small>
            {value !== null && change !== "0" && !hideAmounts.get() && `${money(value, prices.value?.currency)}${time ? " · " : ""}`}
            {time !== 0 && <time dateTime={new Date(time * 1000).toISOString()}>{new Date(time * 1000).toLocaleTimeString(document.documentElement.lang, { timeStyle: "short" })}</time>}
          </small>
        </span>
      </button>
    </li>
  );
}
