import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { t } from "../language.ts";
import { CoinChoice } from "../coins/coinchoice.tsx";
import { Gate } from "../coins/gate.tsx";
import { historyOf } from "../coins/history.ts";
import type { Holding } from "../coins/holdings.ts";
import { useLoad } from "../ui/task.ts";
import { Title } from "../ui/title.tsx";
import { List } from "./history/list.tsx";
import { Trouble } from "./history/trouble.tsx";
import "./history.css";

/** The transactions of a coin. */
export default function History() {
  return (
    <>
      <Title text={t("view.history")} />
      <Gate todo={t("history.gate")}>{(holding) => <CoinHistory key={holding.ticker} holding={holding} />}</Gate>
    </>
  );
}

const SIZE = 20;
const PAUSE = 2000; // ms between requests while the node loads the history
const AFTER = 5; // requests after a change of the balance, whose transaction appears a little later

function CoinHistory({ holding: { ticker, balance } }: { holding: Holding }) {
  const wanted = useSignal(SIZE);
  const looks = useSignal(AFTER);
  const history = useLoad(() => historyOf(ticker, wanted.value), [ticker, wanted.value]);
  const now = history.value.value;
  useEffect(() => {
    looks.value = AFTER;
  }, [balance?.spendable, balance?.unspendable]);
  const loading = now !== null && now.sync_status.state !== "Finished";
  useEffect(() => {
    if (!loading && looks.value === 0) {
      return undefined;
    }
    const timer = setTimeout(() => {
      looks.value = Math.max(0, looks.value - 1);
      if (history.error.peek() === null && document.visibilityState === "visible") {
        history.reload();
      }
    }, PAUSE);
    return () => clearTimeout(timer);
  }, [loading, looks.value, now]);
  return (
    <>
      <div class="narrowform">
        <CoinChoice view="history" ticker={ticker} />
      </div>
      {now && <List history={now} busy={history.error.value === null && now.limit < wanted.value} onOlder={() => (wanted.value = now.transactions.length + now.invalid + SIZE)} />}
      <Trouble ticker={ticker} error={history.error.value} retry={history.reload} />
    </>
  );
}
