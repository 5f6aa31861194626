import { useSignal } from "@preact/signals";
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

/** The node's limits, in bytes; the last is what other nodes pass on unless they are told otherwise. */
const [MAX_NAME, MAX_DESCRIPTION, MAX_DATA, RELAYED] = [32, 4096, 10001, 208];

const sizeOf = (text: string): number => new TextEncoder().encode(text).length;

interface Wish {
  name: string;
  count: string;
  description: string;
  /** Hexadecimal; "" for a fungible token. */
  data: string;
}

/** What is wrong with a wish, by field. */
function wrongs({ name, count, description, data }: Wish, single: boolean): Record<keyof Wish, string> {
  const bytes = bytesOf(data);
  return {
    name: name === "" ? "Give it a name." : sizeOf(name) > MAX_NAME ? `The name has ${sizeOf(name)} bytes, the maximum is ${MAX_NAME}.` : "",
    count: single ? "" : wrongCount(count),
    description: sizeOf(description) > MAX_DESCRIPTION ? `The description has ${sizeOf(description)} bytes, the maximum is ${MAX_DESCRIPTION}.` : "",
    data: !single ? "" : bytes === null ? "Enter pairs of hexadecimal digits." : bytes.length === 0 ? "Enter data: they make the token unique." : bytes.length > MAX_DATA ? `There are ${bytes.length} bytes, the maximum is ${MAX_DATA}.` : "",
  };
}

/** Creates a token: asks for it, shows what was built, broadcasts it. */
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
    wrong.value = wrongs(now, single.peek());
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
      <Title text="Create a token" />
      <Field label="Name" value={name} onText={set("name")} error={wrong.value.name} hint={`1 to ${MAX_NAME} bytes. Others may use the same name: only the id tells tokens apart.`} required />
      <Check checked={single.value} onCheck={(now) => (single.value = now)}>
        One of a kind: a single token with data of its own (NFT)
      </Check>
      {single.value ? (
        <Area label="Data" rows={2} value={data} onText={set("data")} error={wrong.value.data} hint="Hexadecimal, for programs. The first byte is the module that may validate transfers of the token." required />
      ) : (
        <Field label="How many" inputMode="numeric" value={count} onText={set("count")} error={wrong.value.count} hint={<Locked count={count} account={known} />} required />
      )}
      <Area label="Description (optional)" rows={3} value={description} onText={set("description")} error={wrong.value.description} hint="Everyone can read it, permanently." />
      <p class={size > RELAYED ? "wrong" : "muted"}>
        Name, description and data take {size} bytes on the chain{size > RELAYED ? `, and nodes pass on ${RELAYED} unless they are told otherwise: this one may refuse.` : `; nodes pass on ${RELAYED}.`}
      </p>
      <Fault error={worded(account.error.value, null)} retry={account.reload} />
      <Fault error={worded(build.error.value, known)} />
      <div class="actions">
        <Button busy={build.busy.value} disabled={!known}>
          Continue
        </Button>
      </div>
    </Form>
  );
}

/** What the supply takes of the chain's coin. */
function Locked({ count, account }: { count: string; account: Account | null }) {
  const coins = wrongCount(count) === "" ? coinsOf(BigInt(count)) : null;
  return (
    <>
      A token is a hundred-millionth of a coin, which it takes up for ever. {coins === null || !account ? "10000 tokens take 0.0001 coins." : `These take ${coins} ${account.coin}`}
      {coins !== null && account && `; you have ${trim(account.balance)}.`}
    </>
  );
}

function ReviewCreation({ draft, account, description, back }: { draft: Draft; account: Account; description: string; back: () => void }) {
  const { payload } = draft;
  const name = payload?.is === "create" ? payload.name : "";
  const sum = (is: string) => draft.outputs.filter((out) => out.is === is).reduce((total, { value }) => total + value, 0n);
  const [made, marker] = [sum("tokens"), sum("marker")];
  return (
    <Review title={`Create ${name}`} draft={draft} account={account} what={`Creation of ${made} ${name}`} back={back}>
      <Fact name="Token">
        <Amount value={made.toString()} unit={name} />
      </Fact>
      {description && <Fact name="Description">{description}</Fact>}
      <Fact name="Storage used">
        <Amount value={coinsOf(made)} unit={account.coin} /> <small>which become the tokens</small>
      </Fact>
      <Fact name="Listing">
        <Amount value={coinsOf(marker)} unit={account.coin} /> <small>so that it is in the list of tokens</small>
      </Fact>
    </Review>
  );
}
