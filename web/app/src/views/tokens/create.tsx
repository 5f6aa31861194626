import { useSignal } from "@preact/signals";
import { phraseFault } from "../../coins/phrase.ts";
import { t } from "../../language.ts";
import { written } from "../../money.ts";
import { Amount } from "../../ui/amount.tsx";
import { Button } from "../../ui/button.tsx";
import { Check } from "../../ui/check.tsx";
import { Fact } from "../../ui/fact.tsx";
import { Fault } from "../../ui/fault.tsx";
import { Area, Field } from "../../ui/field.tsx";
import { focusWrong } from "../../ui/focus.ts";
import { Form } from "../../ui/form.tsx";
import { useTask } from "../../ui/task.ts";
import { Title } from "../../ui/title.tsx";
import { useAccount, type Account } from "./account.ts";
import { coinsOf, trim, wrongCount } from "./amounts.ts";
import { Back } from "./back.tsx";
import { ask } from "./daemon.ts";
import { draftOf, type Draft } from "./draft.ts";
import { bytesOf, creationSize } from "./payload.ts";
import { Review } from "./review.tsx";
import { worded } from "./words.ts";

/** Limits in bytes: three of the node, and the size that other nodes relay by default. */
const [MAX_NAME, MAX_DESCRIPTION, MAX_DATA, RELAYED] = [32, 4096, 10001, 208];

/** Decodes hexadecimal data as text. */
const textOf = (data: string): string => new TextDecoder().decode(Uint8Array.from(bytesOf(data) ?? []));

const sizeOf = (text: string): number => new TextEncoder().encode(text).length;

interface Wish {
  name: string;
  count: string;
  description: string;
  /** Hexadecimal; "" for a fungible token. */
  data: string;
}

/** Returns what is wrong with the form, by field. */
function wrongs({ name, count, description, data }: Wish, single: boolean): Record<keyof Wish, string> {
  const bytes = bytesOf(data);
  return {
    name: name === "" ? t("tokens.noname") : sizeOf(name) > MAX_NAME ? t("tokens.longname", { size: sizeOf(name), max: MAX_NAME }) : "",
    count: single ? "" : wrongCount(count),
    description: sizeOf(description) > MAX_DESCRIPTION ? t("tokens.longdescription", { size: sizeOf(description), max: MAX_DESCRIPTION }) : "",
    data: !single ? "" : bytes === null ? t("tokens.nothex") : bytes.length === 0 ? t("tokens.nodata") : bytes.length > MAX_DATA ? t("tokens.longdata", { size: bytes.length, max: MAX_DATA }) : "",
  };
}

/** Creates a token: a form, a review of the transaction, and the broadcast. */
export function Create() {
  const account = useAccount("");
  const wish = useSignal<Wish>({ name: "", count: "", description: "", data: "" });
  const single = useSignal(false);
  const wrong = useSignal<Partial<Record<keyof Wish, string>>>({});
  const draft = useSignal<Draft | null>(null);
  const set = (field: keyof Wish) => (text: string) => {
    wish.value = { ...wish.peek(), [field]: text };
    wrong.value = { ...wrong.peek(), [field]: "" };
  };
  const build = useTask(async () => {
    const now = { ...wish.peek(), data: single.peek() ? wish.peek().data.trim() : "" };
    const secrets = { name: await phraseFault(now.name), description: await phraseFault(now.description), data: await phraseFault(textOf(now.data)) };
    wrong.value = Object.fromEntries(Object.entries(wrongs(now, single.peek())).map(([field, text]) => [field, (secrets as Record<string, string>)[field] || text]));
    if (Object.values(wrong.peek()).some((text) => text !== "") || !account.value.peek()) {
      focusWrong();
      return;
    }
    const supply = coinsOf(single.peek() ? 1n : BigInt(now.count));
    const { hex } = await ask("tokencreate", now.name, supply, now.description, ...(single.peek() ? [now.data] : []));
    draft.value = await draftOf(hex, account.value.peek() as Account);
  });
  const known = account.value.value;
  const { name, count, description, data } = wish.value;
  if (draft.value && known) {
    return <ReviewCreation draft={draft.value} account={known} description={description} back={() => (draft.value = null)} />;
  }
  const size = creationSize(name, description, single.value ? Math.ceil(data.trim().length / 2) : 0);
  return (
    <Form onSubmit={() => void build.run()}>
      <Back />
      <Title text={t("tokens.create")} />
      <Field label={t("tokens.name")} value={name} onText={set("name")} error={wrong.value.name} hint={t("tokens.namehint", { max: MAX_NAME })} required />
      <Check checked={single.value} onCheck={(now) => (single.value = now)}>
        {t("tokens.single")}
      </Check>
      {single.value ? (
        <Area label={t("tokens.data")} rows={2} value={data} onText={set("data")} error={wrong.value.data} hint={t("tokens.datahint")} required />
      ) : (
        <Field label={t("tokens.howmany")} inputMode="numeric" value={count} onText={set("count")} error={wrong.value.count} hint={<Locked count={count} account={known} />} required />
      )}
      <Area label={t("tokens.optdescription")} rows={3} value={description} onText={set("description")} error={wrong.value.description} hint={t("tokens.public")} />
      <p class={size > RELAYED ? "wrong" : "muted"}>
        {t("tokens.size", { size, sizeb: size > RELAYED ? t("tokens.toobig", { relayed: RELAYED }) : t("tokens.fits", { relayed: RELAYED }) })}
      </p>
      <Fault error={worded(account.error.value, null)} retry={account.reload} />
      <Fault error={worded(build.error.value, known)} />
      <div class="actions">
        <Button busy={build.busy.value} disabled={!known}>
          {t("tokens.continue")}
        </Button>
      </div>
    </Form>
  );
}

/** The coins that the supply takes. */
function Locked({ count, account }: { count: string; account: Account | null }) {
  const coins = wrongCount(count) === "" ? coinsOf(BigInt(count)) : null;
  return (
    <>
      {t("tokens.locked")} {coins === null || !account ? t("tokens.lockedexample") : t("tokens.lockedthese", { coins: written(coins), coin: account.coin, balance: written(trim(account.balance)) })}
    </>
  );
}

function ReviewCreation({ draft, account, description, back }: { draft: Draft; account: Account; description: string; back: () => void }) {
  const { payload } = draft;
  const name = payload?.is === "create" ? payload.name : "";
  const sum = (is: string) => draft.outputs.filter((out) => out.is === is).reduce((total, { value }) => total + value, 0n);
  const [made, marker] = [sum("tokens"), sum("marker")];
  return (
    <Review title={t("tokens.createone", { name })} draft={draft} account={account} what={t("tokens.creation", { made, name })} back={back}>
      <Fact name={t("tokens.token")}>
        <Amount value={made.toString()} unit={name} />
      </Fact>
      {description && (
        <Fact name={t("tokens.description")}>
          <bdi>{description}</bdi>
        </Fact>
      )}
      <Fact name={t("tokens.storage")}>
        <Amount value={coinsOf(made)} unit={account.coin} /> <small>{t("tokens.become")}</small>
      </Fact>
      <Fact name={t("tokens.listing")}>
        <Amount value={coinsOf(marker)} unit={account.coin} /> <small>{t("tokens.listingabout")}</small>
      </Fact>
    </Review>
  );
}
