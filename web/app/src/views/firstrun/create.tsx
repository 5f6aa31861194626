import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { t } from "../../language.ts";
import { Button } from "../../ui/button.tsx";
import { Fault } from "../../ui/fault.tsx";
import { Field } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { Check } from "../../ui/check.tsx";
import { Title } from "../../ui/title.tsx";
import { NewPassword } from "./newpassword.tsx";

const ASKED = 3;

/** New words: shown once, then some of them are asked for. */
export default function Create({ back }: { back: () => void }) {
  const count = useSignal<12 | 24>(12);
  const words = useSignal<string[]>([]);
  const asked = useSignal<number[]>([]);
  const confirmed = useSignal(false);
  const later = useSignal(false);
  const error = useSignal<unknown>(null);
  const draw = async () => {
    try {
      const { newWords } = await import("../../mnemonic.ts");
      words.value = newWords(count.peek());
      asked.value = [];
      confirmed.value = later.value = false;
    } catch (caught) {
      error.value = caught;
    }
  };
  useEffect(() => void draw(), []);
  if (error.value) {
    return <Fault error={error.value} retry={() => location.reload()} />;
  }
  const ask = async () => {
    const { pick } = await import("../../mnemonic.ts");
    asked.value = pick(ASKED, words.peek().length);
  };
  if (later.value) {
    return <NewPassword secret={{ passphrase: words.value.join(" "), hd: true }} unsaved done={t("first.makewallet")} back={() => (later.value = false)} />;
  }
  if (confirmed.value) {
    return <NewPassword secret={{ passphrase: words.value.join(" "), hd: true }} done={t("first.makewallet")} back={() => (confirmed.value = false)} />;
  }
  if (asked.value.length > 0) {
    return <Confirm words={words.value} asked={asked.value} done={() => (confirmed.value = true)} back={() => (asked.value = [])} />;
  }
  const choose = (chosen: 12 | 24) => {
    count.value = chosen;
    void draw();
  };
  return (
    <Form onSubmit={() => void ask()}>
      <Title text="Recovery phrase" />
      <p>
        Write these words down, in this order, on paper. <strong>Anyone who has them can take your coins.</strong> Without them, a lost device or a forgotten password means that the coins are lost.
      </p>
      <fieldset>
        <legend class="unseen">How many words</legend>
        <Check name="count" checked={count.value === 12} onCheck={() => choose(12)}>
          12 words
        </Check>
        <Check name="count" checked={count.value === 24} onCheck={() => choose(24)}>
          24 words
        </Check>
      </fieldset>
      <ol class={`words ${count.value > 12 ? "many" : ""}`} translate={false}>
        {Array.from({ length: count.value }, (_, n) => (
          <li key={n}>{words.value[n]}</li>
        ))}
      </ol>
      <div class="actions">
        <Button disabled={words.value.length !== count.value}>I have written them down</Button>
        <button type="button" class="secondary" onClick={() => (later.value = true)} disabled={words.value.length !== count.value}>
          {t("first.later")}
        </button>
        <button type="button" class="secondary" onClick={back}>
          {t("back")}
        </button>
      </div>
    </Form>
  );
}

function Confirm({ words, asked, done, back }: { words: string[]; asked: number[]; done: () => void; back: () => void }) {
  const given = useSignal<string[]>(asked.map(() => ""));
  const checked = useSignal(false);
  const isRight = (n: number) => given.value[n]?.trim().toLowerCase() === words[(asked[n] ?? 0) - 1];
  const submit = () => {
    checked.value = true;
    if (asked.every((_, n) => isRight(n))) {
      done();
    }
  };
  return (
    <Form onSubmit={submit}>
      <Title text="Confirm your recovery phrase" />
      <p>Enter these words of your recovery phrase.</p>
      <div class="row">
        {asked.map((number, n) => (
          <Field
            key={number}
            label={`Word ${number}`}
            value={given.value[n] ?? ""}
            onText={(text) => {
              given.value = given.peek().map((old, at) => (at === n ? text : old));
              checked.value = false;
            }}
            error={checked.value && !isRight(n) ? (given.value[n]?.trim() ? "Wrong word." : "This word is missing.") : ""}
          />
        ))}
      </div>
      <div class="actions">
        <button type="submit">Continue</button>
        <button type="button" class="secondary" onClick={back}>
          Show the words again
        </button>
      </div>
    </Form>
  );
}
