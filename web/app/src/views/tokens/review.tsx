import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { href } from "../../route.ts";
import { Address } from "../../ui/address.tsx";
import { Amount } from "../../ui/amount.tsx";
import { Button } from "../../ui/button.tsx";
import { Check } from "../../ui/check.tsx";
import { Copy } from "../../ui/copy.tsx";
import { Fact } from "../../ui/fact.tsx";
import { Fault } from "../../ui/fault.tsx";
import { Form } from "../../ui/form.tsx";
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
  /** For the list of what was sent: "Transfer of 5 TOKEN". */
  what: string;
  /** What the transaction is for: facts. */
  children: ComponentChildren;
  /** What has to be agreed to first: it cannot be undone. */
  consent?: string;
  back: () => void;
}

/** A transaction that is built and not sent: what it does and what it costs, and the button that broadcasts it. */
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
      <p>Signed, not sent yet.</p>
      <dl>
        {children}
        <Fee draft={draft} coin={account.coin} />
        <Fact name="Transaction">
          <Address value={draft.txid} what="the transaction's id" />
        </Fact>
      </dl>
      {consent !== undefined && (
        <Check checked={agreed.value} onCheck={(now) => (agreed.value = now)}>
          {consent}
        </Check>
      )}
      {unagreed.value && !agreed.value && (
        <p class="wrong" role="alert">
          Tick the box first.
        </p>
      )}
      <Fault error={worded(send.error.value, account)} />
      <div class="actions">
        <Button busy={send.busy.value} class={consent === undefined ? "" : "danger"}>
          Broadcast
        </Button>
        <button type="button" class="secondary" onClick={back}>
          Back
        </button>
      </div>
      <Details draft={draft} coin={account.coin} />
    </Form>
  );
}

/** What the chain's miner gets. */
export function Fee({ draft, coin }: { draft: Draft; coin: string }) {
  return (
    <Fact name="Fee">
      {draft.fee === null ? (
        "cannot be told: this chain does not know all that the transaction spends"
      ) : (
        <>
          <Amount value={coinsOf(draft.fee)} unit={coin} /> <small>for {draft.bytes} bytes</small>
        </>
      )}
    </Fact>
  );
}

/** All of it, for those who want to see it. */
export function Details({ draft, coin, open = false }: { draft: Draft; coin: string; open?: boolean }) {
  return (
    <details class="whole" open={open}>
      <summary>The whole transaction</summary>
      <Inputs inputs={draft.inputs} coin={coin} />
      <Outputs outputs={draft.outputs} coin={coin} />
      <p>
        Raw transaction, in hexadecimal <Copy text={draft.hex} what="the raw transaction" />
      </p>
      <pre class="raw" role="region" tabIndex={0} aria-label="Hexadecimal digits">
        {draft.hex}
      </pre>
    </details>
  );
}

function Done({ txid, what }: { txid: string; what: string }) {
  const tip = useTip(useWaits());
  return (
    <>
      <Title text="Broadcast" />
      <p>
        {what}: <SentState txid={txid} tip={tip} />.
      </p>
      <p>Stored on the node's disk.</p>
      <dl>
        <Fact name="Transaction">
          <Address value={txid} what="the transaction's id" />
        </Fact>
      </dl>
      <div class="actions">
        <a class="go" href={href("tokens")}>
          To the tokens
        </a>
      </div>
    </>
  );
}
