import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Switched } from "../coins/external.tsx";
import { beyond, failure, holdings, isEmpty, refresh } from "../coins/holdings.ts";
import { lastOrder, lines } from "../coins/order.ts";
import { followPrices } from "../coins/prices.ts";
import { Underway } from "../coins/underway.tsx";
import { Unreachable } from "../coins/unreachable.tsx";
import { steps } from "../coins/usual.ts";
import { t } from "../language.ts";
import { hideSmall, SMALL } from "../privacy.ts";
import { href } from "../route.ts";
import { profile } from "../session/session.ts";
import { Fault } from "../ui/fault.tsx";
import { useGradual } from "../ui/gradual.ts";
import { Icon } from "../ui/icon.tsx";
import { Title } from "../ui/title.tsx";
import { Coin, Returning } from "./home/coin.tsx";
import { Setup } from "./home/setup.tsx";
import { Summary } from "./home/summary.tsx";
import "../coins/coins.css";
import "./home.css";

/** The balances of the wallet and their values. */
export default function Home() {
  useEffect(followPrices, []);
  const nothing = isEmpty.value && steps.value.length === 0;
  return (
    <>
      <Title text={t("nav.home")} />
      <Fault error={failure.value} retry={() => void refresh()} />
      {profile.value?.use === "page" && profile.value.page?.unsaved && (
        <div class="note warn">
          {t("backup.about")} <a href={href("settings")}>{t("backup.now")}</a>
        </div>
      )}
      {!nothing && <Summary />}
      <Switched />
      <Underway />
      {nothing ? <Empty /> : <Coins />}
    </>
  );
}

function Empty() {
  return (
    <div class="empty">
      <Icon name="add" />
      <p>{t("home.empty")}</p>
      <a class="go" href={href("add")}>
        {t("home.add")}
      </a>
    </div>
  );
}

const MORE = 50; // rows that are added at a time
const STEP = 15; // rows that are drawn in one frame
const USUAL = 4; // rows for a wallet without a stored order

function Coins() {
  const all = useSignal(false);
  const maxRows = useSignal(MORE);
  const list = holdings.value;
  const rows = lines();
  const visibleRows = hideSmall.get() && !all.value ? rows.filter(({ value }) => value === null || value >= SMALL) : rows;
  const drawn = useGradual(visibleRows.slice(0, maxRows.value), STEP);
  return (
    <section>
      <div class="listhead">
        <h2>{t("home.coins")}</h2>
        <a class="addcoins" href={href("add")}>
          <Icon name="add" />
          {t("home.add")}
        </a>
      </div>
      <Setup />
      <Unreachable />
      <ul class="coins" aria-busy={list === null}>
        {list === null && Array.from({ length: Math.min(lastOrder().length || USUAL, STEP) }, (_, n) => <Skeleton key={n} />)}
        {drawn.map(({ ticker, holding, value }) => (holding ? <Coin key={ticker} holding={holding} value={value} /> : <Returning key={ticker} ticker={ticker} value={value} />))}
      </ul>
      {visibleRows.length > maxRows.value && (
        <button type="button" class="quiet" onClick={() => (maxRows.value += MORE)}>
          {t("home.more", { count: visibleRows.length - maxRows.value })}
        </button>
      )}
      {beyond.value > 0 && <p class="muted">{t("home.beyond", { count: beyond.value })}</p>}
      {visibleRows.length < rows.length && (
        <button type="button" class="quiet" onClick={() => (all.value = true)}>
          {t("home.small", { count: rows.length - visibleRows.length })}
        </button>
      )}
    </section>
  );
}

/** A placeholder with the height of a row. */
function Skeleton() {
  return (
    <li class="coin skeleton" aria-hidden="true">
      <span class="row">
        <span class="logo bone" />
        <span class="bone line" />
        <span class="bone line" />
      </span>
    </li>
  );
}
