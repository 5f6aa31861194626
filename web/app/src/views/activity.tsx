import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { coinName } from "../coins/names.ts";
import { coming, failure, isEmpty, refresh } from "../coins/holdings.ts";
import { outbox } from "../coins/outbox.ts";
import { Unreachable } from "../coins/unreachable.tsx";
import { t } from "../language.ts";
import { href } from "../route.ts";
import { Button } from "../ui/button.tsx";
import { useEvery } from "../ui/every.ts";
import { Fault } from "../ui/fault.tsx";
import { Icon } from "../ui/icon.tsx";
import { Title } from "../ui/title.tsx";
import { Sheet } from "./activity/details.tsx";
import { useActivity, type Item } from "./activity/list.ts";
import { Row } from "./activity/row.tsx";
import { followPrices } from "../coins/prices.ts";
import "../coins/coins.css";
import "./activity.css";

const LOOK = 15_000; // ms between refreshes of histories of coins without events

/** The transactions of all coins: pending ones first, then the newest. */
export default function Activity() {
  useEffect(followPrices, []);
  return (
    <>
      <Title text={t("nav.activity")} />
      <Fault error={failure.value} retry={() => void refresh()} />
      <Unreachable />
      {isEmpty.value && outbox.value.length === 0 ? (
        <div class="empty">
          <Icon name="activity" />
          <p>{t("activity.empty")}</p>
          <a class="go" href={href("add")}>
            {t("home.add")}
          </a>
        </div>
      ) : (
        <All />
      )}
    </>
  );
}

const day = (seconds: number): string => (seconds === 0 ? "" : new Date(seconds * 1000).toLocaleDateString(document.documentElement.lang, { dateStyle: "long" }));

/** A notice about coins whose transactions are not all listed, with the reason. */
function Lacking({ text, coins }: { text: "activity.missing" | "activity.partial"; coins: readonly string[] }) {
  return coins.length === 0 ? null : (
    <p class="note">
      {t(text)}{" "}
      {coins.map((coin, n) => (
        <>
          {n > 0 && ", "}
          <a href={href("history", [coin])}>{coinName(coin)}</a>
        </>
      ))}
    </p>
  );
}

function All() {
  const { items, loading, left, missing, partial, unread, invalid, more } = useActivity(useEvery(LOOK));
  const open = useSignal<string | null>(null);
  const selected = items?.find(({ id }) => id === open.value);
  const unknown = unread || invalid > 0 || missing.length > 0 || partial.length > 0 || coming().length > 0;
  return (
    <>
      <Lacking text="activity.missing" coins={missing} />
      <Lacking text="activity.partial" coins={partial} />
      {invalid > 0 && <p class="note warn">{t("history.invalid", { count: invalid })}</p>}
      {items === null ? (
        <ul class="activity" aria-busy="true">
          {[0, 1, 2, 3, 4].map((n) => (
            <li key={n} class="bone rowbone" aria-hidden="true" />
          ))}
        </ul>
      ) : (
        <Days items={items} onOpen={(id) => (open.value = id)} />
      )}
      {items?.length === 0 && !loading && <p class="muted">{t(unknown ? "activity.unknown" : "activity.none")}</p>}
      <p class="muted" role="status">
        {loading && items !== null ? t("activity.loading") : ""}
      </p>
      {left && (
        <Button type="button" class="secondary" onClick={more}>
          {t("activity.older")}
        </Button>
      )}
      {selected && <Sheet item={selected} onClose={() => (open.value = null)} />}
    </>
  );
}

function Days({ items, onOpen }: { items: readonly Item[]; onOpen: (id: string) => void }) {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const name = item.pending ? t("activity.pending") : day(item.time);
    groups.set(name, [...(groups.get(name) ?? []), item]);
  }
  return (
    <>
      {[...groups].map(([name, list]) => (
        <section key={name}>
          <h2 class="day">{name || t("activity.undated")}</h2>
          <ul class="activity">
            {list.map((item) => (
              <Row key={item.id} item={item} onOpen={() => onOpen(item.id)} />
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}
