import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { t } from "../../language.ts";
import { go, href } from "../../route.ts";
import { Address } from "../../ui/address.tsx";
import { Button } from "../../ui/button.tsx";
import { Fact } from "../../ui/fact.tsx";
import { Fault } from "../../ui/fault.tsx";
import { Area } from "../../ui/field.tsx";
import { focusWrong } from "../../ui/focus.ts";
import { Form } from "../../ui/form.tsx";
import { rich } from "../../ui/rich.tsx";
import { useTask } from "../../ui/task.ts";
import { Title } from "../../ui/title.tsx";
import { Untrusted } from "../../ui/untrusted.tsx";
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
  /** The block height; "" if unconfirmed, null if the chain does not know the transaction. */
  height: string | null;
}

const isId = (text: string) => /^[0-9a-f]{64}$/i.test(text);

/** Reads a transaction of the chain by its id, or another one in hexadecimal. */
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

/** Displays a transaction, and broadcasts it if the user wants that. */
export function Decode({ txid }: { txid: string }) {
  const text = useSignal(txid);
  const decoded = useSignal<Shown | null>(null);
  const reviewed = useSignal(false);
  const wrong = useSignal("");
  const look = useTask(async () => {
    const entered = text.peek().replace(/\s+/g, "");
    wrong.value = /^([0-9a-f]{2})+$/i.test(entered) ? "" : t("tokens.nothexpaste");
    decoded.value = null;
    if (wrong.peek() === "") {
      decoded.value = await read(entered);
    } else {
      focusWrong();
    }
  });
  useEffect(() => {
    if (txid !== "") {
      void look.run();
    }
  }, []);
  const found = decoded.value;
  if (reviewed.value && found) {
    return (
      <Review title={t("tokens.broadcasttitle")} draft={found.draft} account={found.account} what={t("tokens.broadcast")} back={() => (reviewed.value = false)}>
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
      <Title text={t("tokens.decodetitle")} />
      <Form onSubmit={submit}>
        <Area label={t("tokens.raw")} hint={t("tokens.rawhint")} rows={4} value={text.value} onText={(now) => (text.value = now)} error={wrong.value} />
        <div class="actions">
          <Button busy={look.busy.value}>{t("tokens.decode")}</Button>
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
      <h2>{t("tokens.says")}</h2>
      <dl>
        <Meaning payload={draft.payload} />
        <Fact name={t("tokens.state")}>{height === null ? t("tokens.notfromhere") : height === "" ? t("tokens.waits") : t("tokens.inblock", { height })}</Fact>
        <Fee draft={draft} coin={known.coin} />
        <Fact name={t("tokens.transaction")}>
          <Address value={draft.txid} what={t("tokens.txid")} />
        </Fact>
        {draft.expires !== "0" && <Fact name={t("tokens.expires")}>{t("tokens.expiresafter", { block: draft.expires })}</Fact>}
      </dl>
      {height === null && (
        <div class="actions">
          <button type="button" class="secondary" onClick={send}>
            {t("tokens.broadcastit")}
          </button>
        </div>
      )}
      <Details draft={draft} coin={known.coin} open />
    </>
  );
}

/** The meaning of a transaction for tokens. */
function Meaning({ payload }: { payload: Payload | null }) {
  if (!payload) {
    return <Fact name={t("tokens.title")}>{t("tokens.unrelated")}</Fact>;
  }
  if (payload.is === "create") {
    const data = payload.blobs.find(({ id }) => id === NFT_DATA)?.data;
    return (
      <>
        <Fact name={t("tokens.creates")}><Untrusted text={payload.name} /></Fact>
        {payload.description && <Fact name={t("tokens.description")}><Untrusted text={payload.description} /></Fact>}
        {data !== undefined && (
          <Fact name={t("tokens.data")}>
            <code>{data}</code>
          </Fact>
        )}
        <Fact name={t("tokens.creator")}>
          <Address value={payload.owner} what={t("tokens.creatorkey")} />
        </Fact>
      </>
    );
  }
  return (
    <>
      <Fact name={t("tokens.moves")}>
        {rich("tokens.tokensof", { id: <a href={href("tokens", [payload.tokenid])}>{payload.tokenid}</a> })}
      </Fact>
      {payload.keys.map((key) => (
        <Fact key={key} name={t("tokens.to")}>
          <Address value={key} what={t("tokens.newowner")} />
        </Fact>
      ))}
    </>
  );
}
