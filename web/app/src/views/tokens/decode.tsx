import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { go, href } from "../../route.ts";
import { Address } from "../../ui/address.tsx";
import { Button } from "../../ui/button.tsx";
import { Fact } from "../../ui/fact.tsx";
import { Fault } from "../../ui/fault.tsx";
import { Area } from "../../ui/field.tsx";
import { focusWrong } from "../../ui/focus.ts";
import { Form } from "../../ui/form.tsx";
import { useTask } from "../../ui/task.ts";
import { Title } from "../../ui/title.tsx";
import { account, type Account } from "./account.ts";
import { Back } from "./back.tsx";
import { ask } from "./daemon.ts";
import { draftOf, type Draft } from "./draft.ts";
import { NFT_DATA, type Payload } from "./payload.ts";
import { Details, Fee, Review } from "./review.tsx";
import { worded } from "./words.ts";

interface Shown {
  draft: Draft;
  account: Account;
  /** Of its block; "" if it waits for one; null if the chain does not know it. */
  height: string | null;
}

const isId = (text: string) => /^[0-9a-f]{64}$/i.test(text);

/** Reads a transaction: one of the chain by its id, another one by its hexadecimal digits. */
async function read(text: string): Promise<Shown> {
  const known = await account();
  if (!isId(text)) {
    return { draft: await draftOf(text, known), account: known, height: null };
  }
  const found = await ask("getrawtransaction", text, 1);
  if (typeof found === "string") {
    throw new Error("getrawtransaction has given no details");
  }
  return { draft: await draftOf(found.hex, known), account: known, height: Number(found.confirmations ?? 0) > 0 ? (found.height ?? "") : "" };
}

/** Shows what a transaction says, and broadcasts it if the user wants that. */
export function Decode({ txid }: { txid: string }) {
  const text = useSignal(txid);
  const shown = useSignal<Shown | null>(null);
  const reviewed = useSignal(false);
  const wrong = useSignal("");
  const look = useTask(async () => {
    const entered = text.peek().replace(/\s+/g, "");
    wrong.value = /^([0-9a-f]{2})+$/i.test(entered) ? "" : "Paste pairs of hexadecimal digits.";
    shown.value = null;
    if (wrong.peek() === "") {
      shown.value = await read(entered);
    } else {
      focusWrong();
    }
  });
  useEffect(() => {
    if (txid !== "") {
      void look.run();
    }
  }, []);
  const found = shown.value;
  if (reviewed.value && found) {
    return (
      <Review title="Broadcast a transaction" draft={found.draft} account={found.account} what="Broadcast" back={() => (reviewed.value = false)}>
        <Meaning payload={found.draft.payload} />
      </Review>
    );
  }
  const submit = () => {
    const entered = text.peek().replace(/\s+/g, "");
    if (isId(entered) && entered !== txid) {
      go("tokens", ["decode", entered]);
    } else {
      void look.run();
    }
  };
  return (
    <>
      <Back />
      <Title text="Decode a transaction" />
      <Form onSubmit={submit}>
        <Area label="Raw transaction, or the id of one on the chain" hint="Hexadecimal. Decoding sends nothing." rows={4} value={text.value} onText={(now) => (text.value = now)} error={wrong.value} />
        <div class="actions">
          <Button busy={look.busy.value}>Decode</Button>
        </div>
      </Form>
      <div class="result">
        <Fault error={worded(look.error.value, null)} />
        {found && <Found shown={found} send={() => (reviewed.value = true)} />}
      </div>
    </>
  );
}

function Found({ shown: { draft, account: known, height }, send }: { shown: Shown; send: () => void }) {
  return (
    <>
      <h2>What it says</h2>
      <dl>
        <Meaning payload={draft.payload} />
        <Fact name="State">{height === null ? "not broadcast from here" : height === "" ? "waits for a block" : `in block ${height}`}</Fact>
        <Fee draft={draft} coin={known.coin} />
        <Fact name="Transaction">
          <Address value={draft.txid} what="the transaction's id" />
        </Fact>
        {draft.expires !== "0" && <Fact name="Expires">behind block {draft.expires}, if it is in none by then</Fact>}
      </dl>
      {height === null && (
        <div class="actions">
          <button type="button" class="secondary" onClick={send}>
            Broadcast it
          </button>
        </div>
      )}
      <Details draft={draft} coin={known.coin} open />
    </>
  );
}

/** What a transaction means for tokens. */
function Meaning({ payload }: { payload: Payload | null }) {
  if (!payload) {
    return <Fact name="Tokens">it has nothing to do with them</Fact>;
  }
  if (payload.is === "create") {
    const data = payload.blobs.find(({ id }) => id === NFT_DATA)?.data;
    return (
      <>
        <Fact name="Creates">{payload.name}</Fact>
        {payload.description && <Fact name="Description">{payload.description}</Fact>}
        {data !== undefined && (
          <Fact name="Data">
            <code>{data}</code>
          </Fact>
        )}
        <Fact name="Creator">
          <Address value={payload.owner} what="the creator's public key" />
        </Fact>
      </>
    );
  }
  return (
    <>
      <Fact name="Moves">
        tokens of <a href={href("tokens", [payload.tokenid])}>{payload.tokenid}</a>
      </Fact>
      {payload.keys.map((key) => (
        <Fact key={key} name="To">
          <Address value={key} what="the new owner's public key" />
        </Fact>
      ))}
    </>
  );
}
