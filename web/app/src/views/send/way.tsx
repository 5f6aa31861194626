import type { ComponentChildren } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { RpcError } from "obverse";
import { chainOf } from "../../coins/catalog.ts";
import { txLink } from "../../coins/directory.ts";
import { isEvm } from "../../coins/family.ts";
import { isCancellation } from "../../coins/outbox.ts";
import { amountOf, back, begin, empty, isPlan, send, stage, type Stage } from "../../coins/sending.ts";
import { t } from "../../language.ts";
import { href } from "../../route.ts";
import { Fault } from "../../ui/fault.tsx";
import { Outside } from "../../ui/outside.tsx";
import { Progress } from "../../ui/progress.tsx";
import { ShortAddress } from "../../ui/shortaddress.tsx";
import { Title } from "../../ui/title.tsx";
import { Said } from "../../words.ts";
import { useOtherCoin } from "./route.ts";
import { Summary } from "./summary.tsx";

type Sent = Exclude<Stage, { is: "draft" | "asking" | "review" }>;

const titles: Record<Sent["is"], string> = {
  sending: "Sending",
  waiting: "Sent, waiting for a block",
  done: "Sent",
  unsure: "It may have been sent",
  refused: "Not sent",
};

/** A transaction on its way, and how it ended. */
export function Way({ now }: { now: Sent }) {
  const { tx } = now;
  const link = txLink(tx.coin, tx.tx_hash);
  const cancels = isCancellation({ coin: tx.coin, amount: amountOf(tx) });
  const failedInBlock = now.is === "refused" && blockOf(now.error) > 0;
  return (
    <>
      <Title text={failedInBlock ? "It failed in its block" : cancels && now.is === "waiting" ? t("meaning.canceling") : cancels && now.is === "done" ? t("meaning.canceled") : titles[now.is]} />
      <Now now={now} />
      <Summary tx={tx} />
      {now.is !== "sending" && (now.is !== "refused" || failedInBlock) && (
        <>
          <h2>{t("activity.hash")}</h2>
          <p class="party">
            <ShortAddress value={isEvm(tx.coin) ? `0x${tx.tx_hash}` : tx.tx_hash} what={t("activity.thehash")} />
            {link && <Outside href={link}>{t("explorer")}</Outside>}
          </p>
        </>
      )}
      <Next now={now} />
    </>
  );
}

const blockOf = (error: unknown): number => (error instanceof RpcError && error.is("TransactionRefused") ? error.data.block_height : 0);

/** How EVM servers say that a transaction has the number of another one of the same account. */
const OVERTAKEN = /nonce too low|replacement transaction underpriced/;

/** The chain's refusal, as the node explains it. */
function refusal(error: unknown): unknown {
  if (!(error instanceof RpcError && error.is("TransactionRefused"))) {
    return error;
  }
  const [, why = error.message] = /: (.*)$/s.exec(error.message) ?? [];
  if (error.data.block_height === 0 && OVERTAKEN.test(why)) {
    return new Said("Another transaction of yours was sent meanwhile.", "Nothing was sent. Go back to the form and create the transaction again.", error);
  }
  return error.data.block_height > 0
    ? new Said(`The transaction failed in block ${error.data.block_height}.`, `Only its fee was paid: ${why}`, error)
    : new Said("The chain rejected the transaction.", `Nothing was sent: ${why}`, error);
}

function Now({ now }: { now: Sent }) {
  const blocks = chainOf(now.tx.coin)?.blockTime;
  switch (now.is) {
    case "sending":
      return <Progress label={isPlan(now.tx) ? "Confirm it in your wallet, which sends it then" : "Sending the transaction"} />;
    case "waiting":
      return (
        <Progress label="Sent. Waiting for confirmation">
          <p>
            {now.long ? "This takes longer than expected. It may still be confirmed; the page keeps checking." : `A block takes about ${blocks ?? 7} seconds.`} You can leave this view.
          </p>
        </Progress>
      );
    case "done":
      return (
        <p class="note" role="status">
          {now.height === null
            ? "Your wallet sent it. The coin's servers do not have it yet; see your wallet for its confirmation."
            : isEvm(now.tx.coin) ? `In block ${now.height}. Recent blocks can still be dropped: rely on it after ${chainOf(now.tx.coin)?.confirmations ?? 12} more blocks.` : `Confirmed in block ${now.height}.`}
        </p>
      );
    case "unsure":
      return (
        <>
          <Fault error={now.error} />
          <p>Submitted, but the node did not respond. The transaction may have arrived. You can safely send the same one again: the chain accepts it only once.</p>
        </>
      );
    case "refused":
      return <Fault error={refusal(now.error)} />;
  }
}

function Next({ now }: { now: Sent }) {
  const { tx } = now;
  if (now.is === "sending") {
    return null;
  }
  return (
    <div class="actions">
      {now.is === "unsure" && (
        <>
          <button type="button" onClick={() => void send(tx)}>
            Send the same again
          </button>
          <button type="button" class="secondary" onClick={back}>
            Leave it
          </button>
        </>
      )}
      {now.is === "refused" && (
        <Over>
          <button type="button" onClick={back}>
            Back to the form
          </button>
        </Over>
      )}
      <a class={now.is === "done" || now.is === "waiting" ? "go" : "go secondary"} href={href("")}>
        {t("done")}
      </a>
      {(now.is === "done" || now.is === "waiting") && (
        <Over>
          <button type="button" class="secondary" onClick={() => begin(empty(tx.coin))}>
            {t("send.another")}
          </button>
        </Over>
      )}
      <a class="go secondary" href={isEvm(tx.coin) ? href("activity") : href("history", [tx.coin])}>
        {isEvm(tx.coin) ? t("nav.activity") : t("activity.ofcoin", { coin: tx.coin })}
      </a>
    </div>
  );
}

/** It is over: whoever leaves has read it, and finds an empty form the next time. */
function Over({ children }: { children: ComponentChildren }) {
  useOtherCoin();
  // At once, and not after the next frame, since somebody may leave before that.
  useLayoutEffect(
    () => () => {
      const { is, tx } = stage.peek() as Sent;
      if (is === "done") {
        begin(empty(tx.coin));
      }
    },
    [],
  );
  return <>{children}</>;
}
