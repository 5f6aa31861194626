import { useSignal } from "@preact/signals";
import { compare } from "../../decimal.ts";
import { Address } from "../../ui/address.tsx";
import { Amount } from "../../ui/amount.tsx";
import { Button } from "../../ui/button.tsx";
import { Fact } from "../../ui/fact.tsx";
import { Fault } from "../../ui/fault.tsx";
import { Field } from "../../ui/field.tsx";
import { focusWrong } from "../../ui/focus.ts";
import { Form } from "../../ui/form.tsx";
import { Progress } from "../../ui/progress.tsx";
import { useLoad, useTask } from "../../ui/task.ts";
import { Title } from "../../ui/title.tsx";
import { BURN_KEY, useAccount, type Account } from "./account.ts";
import { wrongCount } from "./amounts.ts";
import { Back } from "./back.tsx";
import { ask } from "./daemon.ts";
import { draftOf, type Draft } from "./draft.ts";
import { Review } from "./review.tsx";
import { tokenOf } from "./token.tsx";
import { worded } from "./words.ts";

function wrongKey(key: string, account: Account): string {
  if (!/^0[23][0-9a-f]{64}$/i.test(key)) {
    return "Enter a public key: 66 hexadecimal digits that start with 02 or 03. An address does not work here.";
  }
  return key.toLowerCase() === BURN_KEY ? "This key has no owner. To burn tokens, go back and choose Burn." : key.toLowerCase() === account.key ? "This is your own key." : "";
}

const wrongAmount = (amount: string, held: string): string => wrongCount(amount) || (compare(amount, held) > 0 ? `You only have ${held}.` : "");

/** Sends tokens to another key, or to the one that nobody has. */
export function Move({ id, burn }: { id: string; burn: boolean }) {
  const account = useAccount("");
  const token = useLoad(() => tokenOf(id));
  const to = useSignal("");
  const amount = useSignal("");
  const wrong = useSignal({ to: "", amount: "" });
  const draft = useSignal<Draft | null>(null);
  const [known, { value: found }] = [account.value.value, token.value];
  const build = useTask(async () => {
    if (!known || !found) {
      return;
    }
    const [key, count] = [to.peek().trim(), amount.peek().trim()];
    wrong.value = { to: burn ? "" : wrongKey(key, known), amount: wrongAmount(count, found.mine) };
    if (wrong.peek().to === "" && wrong.peek().amount === "") {
      const { hex } = await ask("tokentransfer", id, burn ? BURN_KEY : key, count);
      draft.value = await draftOf(hex, known);
    } else {
      focusWrong();
    }
  });
  const name = found?.info.name ?? "";
  const [verb, noun] = burn ? ["Burn", "Burning"] : ["Transfer", "Transfer"];
  if (draft.value && known) {
    const count = amount.value.trim();
    return (
      <Review title={`${verb} ${name}`} draft={draft.value} account={known} what={`${noun} of ${count} ${name}`} back={() => (draft.value = null)} {...(burn && { consent: "I understand that burned tokens cannot be recovered." })}>
        <Fact name={verb}>
          <Amount value={count} unit={name} />
        </Fact>
        <Fact name="Token">
          <Address value={id} what="the token's id" copy={false} />
        </Fact>
        <Fact name="To">
          {burn && <p>a key without an owner</p>}
          <Address value={burn ? BURN_KEY : to.value.trim()} what="the new owner's public key" copy={false} />
        </Fact>
      </Review>
    );
  }
  const error = token.error.value ?? account.error.value;
  return (
    <Form onSubmit={() => void build.run()}>
      <Back id={id} name={name || "Token"} />
      <Title text={`${verb} ${name}`.trim()} />
      <Fault error={worded(error, known)} retry={() => (token.reload(), account.reload())} />
      {found && known ? (
        <>
          <p>
            You hold <Amount value={found.mine} unit={name} />.
          </p>
          {burn ? <p>Burned tokens go to a key without an owner. They stay on the chain but cannot be moved, and the created supply does not change.</p> : <Field label="Public key of the new owner" value={to.value} onText={(text) => (to.value = text)} error={wrong.value.to} hint="66 hexadecimal digits. The owner finds it in the tokens of their wallet." required />}
          <Field label="How many" inputMode="numeric" value={amount.value} onText={(text) => (amount.value = text)} error={wrong.value.amount} required />
          <Fault error={worded(build.error.value, known)} />
          <div class="actions">
            <Button busy={build.busy.value}>Continue</Button>
            <button type="button" class="secondary" onClick={() => (amount.value = found.mine)}>
              All of them
            </button>
          </div>
        </>
      ) : (
        error === null && <Progress label="Reading the token" />
      )}
    </Form>
  );
}
