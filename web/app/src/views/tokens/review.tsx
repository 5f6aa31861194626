import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { t } from "../../language.ts";
import { href } from "../../route.ts";
import { Address } from "../../ui/address.tsx";
import { Amount } from "../../ui/amount.tsx";
import { Button } from "../../ui/button.tsx";
import { Check } from "../../ui/check.tsx";
import { Copy } from "../../ui/copy.tsx";
import { Fact } from "../../ui/fact.tsx";
import { Fault } from "../../ui/fault.tsx";
import { Form } from "../../ui/form.tsx";
import { rich } from "../../ui/rich.tsx";
import { useTask } from "../../ui/task.ts";
import { Title } from "../../ui/title.tsx";
import { useTip, type Account } from "./account.ts";
import { coinsOf } from "./amounts.ts";
import type { Draft } from "./draft.ts";
import { SentState, useWaits } from "./sentlist.tsx";
import { Inputs, Outputs } from "./transaction.tsx";
import { broadcast } from "./waiting.ts";
import { worded } from "./words.ts";

interface Props {
  title: string;
  draft: Draft;
  account: Account;
  /** A title for the list of sent transactions: "Transfer of 5 TOKEN". */
  what: string;
  /** The purpose of the transaction, as rows of a list. */
  children: ComponentChildren;
  /** What the user has to agree to first, since it cannot be undone. */
  consent?: string;
  back: () => void;
}

/** A transaction before its broadcast: its effects and costs, and the button that broadcasts it. */
export function Review({ title, draft, account, what, children, consent, back }: Props) {
  const agreed = useSignal(false);
  const unagreed = useSignal(false);
  const txid = useSignal("");
  const send = useTask(async () => {
    unagreed.value = consent !== undefined && !agreed.peek();
    if (!unagreed.peek()) {
      txid.value = await broadcast(draft.hex, what);
    }
  });
  if (txid.value !== "") {
    return <Done txid={txid.value} what={what} />;
  }
  return (
    <Form onSubmit={() => void send.run()}>
      <Title text={title} />
      <p>{t("tokens.signed")}</p>
      <dl>
        {children}
        <Fee draft={draft} coin={account.coin} />
        <Fact name={t("tokens.transaction")}>
          <Address value={draft.txid} what={t("tokens.txid")} />
        </Fact>
      </dl>
      {consent !== undefined && (
        <Check checked={agreed.value} onCheck={(now) => (agreed.value = now)}>
          {consent}
        </Check>
      )}
      {unagreed.value && !agreed.value && (
        <p class="wrong" role="alert">
          {t("tokens.tick")}
        </p>
      )}
      <Fault error={worded(send.error.value, account)} />
      <div class="actions">
        <Button busy={send.busy.value} class={consent === undefined ? "" : "danger"}>
          {t("tokens.broadcast")}
        </Button>
        <button type="button" class="secondary" onClick={back}>
          {t("back")}
        </button>
      </div>
      <Details draft={draft} coin={account.coin} />
    </Form>
  );
}

/** The fee for the chain's miner. */
export function Fee({ draft, coin }: { draft: Draft; coin: string }) {
  return (
    <Fact name={t("tokens.fee")}>
      {draft.fee === null ? (
        t("tokens.unknownfee")
      ) : (
        <>
          <Amount value={coinsOf(draft.fee)} unit={coin} /> <small>{t("tokens.forbytes", { bytes: draft.bytes })}</small>
        </>
      )}
    </Fact>
  );
}

/** The full transaction. */
export function Details({ draft, coin, open = false }: { draft: Draft; coin: string; open?: boolean }) {
  return (
    <details class="whole" open={open}>
      <summary>{t("tokens.whole")}</summary>
      <Inputs inputs={draft.inputs} coin={coin} />
      <Outputs outputs={draft.outputs} coin={coin} />
      <p>
        {rich("tokens.rawis", { copy: <Copy text={draft.hex} what={t("tokens.theraw")} /> })}
      </p>
      <pre class="raw" role="region" tabIndex={0} aria-label={t("tokens.hex")}>
        {draft.hex}
      </pre>
    </details>
  );
}

function Done({ txid, what }: { txid: string; what: string }) {
  const tip = useTip(useWaits());
  return (
    <>
      <Title text={t("tokens.broadcastdone")} />
      <p>
        {what}: <SentState txid={txid} tip={tip} />.
      </p>
      <p>{t("tokens.stored")}</p>
      <dl>
        <Fact name={t("tokens.transaction")}>
          <Address value={txid} what={t("tokens.txid")} />
        </Fact>
      </dl>
      <div class="actions">
        <a class="go" href={href("tokens")}>
          {t("tokens.totokens")}
        </a>
      </div>
    </>
  );
}
