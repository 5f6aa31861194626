import type { ComponentChildren } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { RpcError } from "obverse";
import { chainOf } from "../../coins/catalog.ts";
import { txLink } from "../../coins/directory.ts";
import { isEvm } from "../../coins/family.ts";
import { isCancellation } from "../../coins/outbox.ts";
import { amountOf, back, begin, empty, isPlan, send, stage, type Stage } from "../../coins/sending.ts";
import { t, type Text } from "../../language.ts";
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

const titles: Record<Sent["is"], Text> = { sending: "send.sending", waiting: "send.sentwaiting", done: "meaning.sent", unsure: "send.unsure", refused: "send.notsent" };

/** A submitted transaction and its outcome. */
export function Way({ now }: { now: Sent }) {
  const { tx } = now;
  const link = txLink(tx.coin, tx.tx_hash);
  const cancels = isCancellation({ ...tx, amount: amountOf(tx) });
  const failedInBlock = now.is === "refused" && blockOf(now.error) > 0;
  return (
    <>
      <Title text={t(failedInBlock ? "send.failedinblock" : cancels && now.is === "waiting" ? "meaning.canceling" : cancels && now.is === "done" ? "meaning.canceled" : titles[now.is])} />
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

/** Errors of EVM servers for a nonce that another transaction of the account has. */
const OVERTAKEN = /nonce too low|replacement transaction underpriced/;

/** ErrInsufficientFee of the Cosmos SDK (types/errors). */
const INSUFFICIENT_FEE = 13;

/** Returns the chain's rejection, with the node's explanation. */
function refusal(error: unknown): unknown {
  if (!(error instanceof RpcError && error.is("TransactionRefused"))) {
    return error;
  }
  const [, why = error.message] = /: (.*)$/s.exec(error.message) ?? [];
  if (error.data.block_height === 0 && OVERTAKEN.test(why)) {
    return new Said(t("send.overtaken"), t("send.overtakentodo"), error);
  }
  if (error.data.codespace === "sdk" && error.data.code === INSUFFICIENT_FEE) {
    return new Said(t("send.lowfee"), t("send.lowfeetodo"), error);
  }
  return error.data.block_height > 0
    ? new Said(t("send.failed", { block: error.data.block_height }), t("send.feepaid", { why }), error)
    : new Said(t("send.rejected"), t("send.nothingwhy", { why }), error);
}

function Now({ now }: { now: Sent }) {
  const blocks = chainOf(now.tx.coin)?.blockTime;
  switch (now.is) {
    case "sending":
      return <Progress label={t(isPlan(now.tx) ? "send.confirmthere" : "send.sendingit")} />;
    case "waiting":
      return (
        <Progress label={t("send.waiting")}>
          <p>
            {now.long ? t("send.long") : t("send.blocktime", { seconds: blocks ?? 7 })} {t("send.leave")}
          </p>
        </Progress>
      );
    case "done":
      return (
        <p class="note" role="status">
          {now.height === null ? t("send.bywallet") : isEvm(now.tx.coin) ? t("send.inrecent", { height: now.height, blocks: chainOf(now.tx.coin)?.confirmations ?? 12 }) : t("send.confirmed", { height: now.height })}
        </p>
      );
    case "unsure":
      return (
        <>
          <Fault error={now.error} />
          <p>{t("send.submitted")}</p>
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
            {t("send.same")}
          </button>
          <button type="button" class="secondary" onClick={back}>
            {t("send.leaveit")}
          </button>
        </>
      )}
      {now.is === "refused" && (
        <Over>
          <button type="button" onClick={back}>
            {t("send.form")}
          </button>
        </Over>
      )}
      <a class={now.is === "done" || now.is === "waiting" ? "go" : "go secondary"} href={tx.nft ? href("nfts", [tx.coin]) : href("")} onClick={() => now.is === "waiting" && begin(empty(tx.coin))}>
        {t("done")}
      </a>
      {(now.is === "done" || now.is === "waiting") && (
        <Over>
          {tx.nft?.kind !== "ERC721" && (
            <button type="button" class="secondary" onClick={() => begin(empty(tx.coin))}>
              {t("send.another")}
            </button>
          )}
        </Over>
      )}
      <a class="go secondary" href={isEvm(tx.coin) ? href("activity") : href("history", [tx.coin])}>
        {isEvm(tx.coin) ? t("nav.activity") : t("activity.ofcoin", { coin: tx.coin })}
      </a>
    </div>
  );
}

/** The outcome of a transaction. When the user leaves it, the form is emptied. */
function Over({ children }: { children: ComponentChildren }) {
  useOtherCoin();
  // At once, since the user may leave before the next frame.
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
