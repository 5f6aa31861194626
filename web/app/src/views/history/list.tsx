import { useLayoutEffect, useRef } from "preact/hooks";
import { t } from "../../language.ts";
import type { Page } from "../../coins/history.ts";
import { meaningOf, remarkOf, type Entry } from "../../coins/meaning.ts";
import { contactOf } from "../../coins/contacts.ts";
import { Address } from "../../ui/address.tsx";
import { Amount } from "../../ui/amount.tsx";
import { Button } from "../../ui/button.tsx";
import { Fact } from "../../ui/fact.tsx";
import { Untrusted } from "../../ui/untrusted.tsx";
import { when } from "../../ui/when.ts";

interface Properties {
  /** Newest first. */
  history: Page;
  /** Whether older transactions are being loaded. */
  busy: boolean;
  onOlder: () => void;
}

/** A history and the progress of loading it. Older transactions are added below, so that the scroll position stays. */
export function List({ history, busy, onOlder }: Properties) {
  const { transactions, total, starts_at_height: lowest = 1 } = history;
  const { list, rest, remember } = useFirstNew(transactions);
  const older = () => {
    remember();
    onOlder();
  };
  return (
    <>
      <Sync history={history} />
      {history.invalid > 0 && <p class="note warn">{t("history.invalid", { count: history.invalid })}</p>}
      {total === 0 && history.sync_status.state === "Finished" && <p>{t("history.empty", { coin: history.coin })}</p>}
      <ul class="history" ref={list}>
        {transactions.map((entry) => (
          <Item key={entry.internal_id} entry={entry} />
        ))}
      </ul>
      {total > 0 && (
        <div class="rest" ref={rest}>
          <span role="status">
            {t("history.of", { shown: transactions.length, count: total })}
          </span>
          {transactions.length < total && (
            <Button type="button" class="secondary" busy={busy} onClick={older}>
              {t("history.older")}
            </Button>
          )}
        </div>
      )}
      {lowest > 1 && <p class="muted">{t("history.lowest", { lowest })}</p>}
    </>
  );
}

/** Focuses the first of the older transactions when they have been loaded, unless the focus was moved. */
function useFirstNew(transactions: readonly Entry[]) {
  const list = useRef<HTMLUListElement>(null);
  const rest = useRef<HTMLDivElement>(null);
  const last = useRef<string | null>(null);
  useLayoutEffect(() => {
    const at = transactions.findIndex((entry) => entry.internal_id === last.current) + 1;
    if (at === 0 || at === transactions.length) {
      return;
    }
    last.current = null;
    const focused = document.activeElement;
    if (focused === document.body || rest.current?.contains(focused)) {
      list.current?.children[at]?.querySelector("summary")?.focus({ preventScroll: true });
    }
  }, [transactions]);
  return { list, rest, remember: () => void (last.current = transactions.at(-1)?.internal_id ?? null) };
}

function Sync({ history: { sync_status: sync } }: { history: Page }) {
  const { transactions_left: left, blocks_left: blocks, message } = sync.additional_info ?? {};
  if (sync.state === "Finished") {
    return null;
  }
  if (sync.state === "Error") {
    return (
      <div class="note warn" role="status">
        <p>{t("history.incomplete")}</p>
        {message && (
          <details>
            <summary>{t("error.details")}</summary>
            <code>{message}</code>
          </details>
        )}
      </div>
    );
  }
  return (
    <p class="note" role="status">
      {left ? t("history.left", { count: left }) : blocks ? t("history.blocks", { count: blocks }) : t("history.loading")}
    </p>
  );
}

const time = (seconds: number) => new Date(seconds * 1000);

function When({ seconds }: { seconds: number }) {
  return seconds === 0 ? <>{t("history.notime")}</> : <time dateTime={time(seconds).toISOString()}>{when(time(seconds))}</time>;
}

function Item({ entry }: { entry: Entry }) {
  const { my_balance_change: change, coin, timestamp, confirmations } = entry;
  return (
    <li>
      <details>
        <summary>
          <span class="entry">
            <span>
              {meaningOf(entry)}
              <small>
                <When seconds={timestamp} /> · {t(confirmations === 0 ? "history.noblock" : "history.confirmed")}
              </small>
            </span>
            <span class={change.startsWith("-") ? "" : "in"}>
              {!change.startsWith("-") && change !== "0" && "+"}
              <Amount value={change} unit={coin} />
            </span>
          </span>
        </summary>
        <Details entry={entry} />
      </details>
    </li>
  );
}

function Details({ entry }: { entry: Entry }) {
  const { from, to, coin, fee_details: fee, spent_by_me, received_by_me, total_amount, block_height, confirmations, memo, tx_hash } = entry;
  const remark = remarkOf(entry);
  return (
    <dl>
      <Addresses name={t("activity.sender")} list={from} />
      <Addresses name={t("activity.receiver")} list={to} />
      <Fact name={t("history.moved")}>
        <Amount value={total_amount} unit={coin} />
      </Fact>
      {spent_by_me !== "0" && received_by_me !== "0" && (
        <Fact name={t("history.toyou")}>
          <Amount value={received_by_me} unit={coin} />
        </Fact>
      )}
      {spent_by_me !== "0" && (
        <Fact name={t("activity.fee")}>
          <Amount value={fee.amount} unit={fee.coin} />
          <small> {t("history.whole")}</small>
        </Fact>
      )}
      <Fact name={t("history.block")}>{t("history.inblock", { block: block_height, count: confirmations })}</Fact>
      {memo !== "" && (
        <Fact name={t(spent_by_me === "0" ? "activity.theirmemo" : "activity.memo")}>
          <Untrusted text={memo} />
        </Fact>
      )}
      <Fact name={t("activity.hash")}>
        <Address value={tx_hash} what={t("activity.thehash")} />
      </Fact>
      {remark && <Fact name={t("history.why")}>{remark}</Fact>}
    </dl>
  );
}

function Addresses({ name, list }: { name: string; list: string[] }) {
  if (list.length === 0) {
    return null;
  }
  return (
    <Fact name={name}>
      {list.map((address) => (
        <span key={address} class="receiver">
          {contactOf(address) && <strong class="who"><bdi>{contactOf(address)?.name}</bdi></strong>} <Address value={address} what={t("activity.theaddress", { address })} />
        </span>
      ))}
    </Fact>
  );
}
