import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { t } from "../../language.ts";
import { Button } from "../../ui/button.tsx";
import { Fault } from "../../ui/fault.tsx";
import { Field } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { Check } from "../../ui/check.tsx";
import { Title } from "../../ui/title.tsx";
import { useBrowserBack } from "../../ui/back.ts";
import { NewPassword } from "./newpassword.tsx";
import { rich } from "../../ui/rich.tsx";

const ASKED = 3;

/** Creates a recovery phrase: it is displayed once, then some of its words have to be entered. */
export default function Create({ back }: { back: () => void }) {
  const count = useSignal<12 | 24>(12);
  const words = useSignal<string[]>([]);
  const positions = useSignal<number[]>([]);
  const confirmed = useSignal(false);
  const later = useSignal(false);
  const revealed = useSignal(false); // hidden at first, since others may see the screen
  const error = useSignal<unknown>(null);
  const draw = async () => {
    try {
      const { newWords } = await import("../../mnemonic.ts");
      words.value = newWords(count.peek());
      positions.value = [];
      confirmed.value = later.value = false;
    } catch (caught) {
      error.value = caught;
    }
  };
  useEffect(() => void draw(), []);
  const step = [later, confirmed].find((one) => one.value);
  useBrowserBack(() => (step ? (step.value = false) : positions.value.length > 0 ? (positions.value = []) : back()));
  if (error.value) {
    return <Fault error={error.value} retry={() => location.reload()} />;
  }
  const ask = async () => {
    const { pick } = await import("../../mnemonic.ts");
    positions.value = pick(ASKED, words.peek().length);
  };
  if (later.value) {
    return <NewPassword secret={{ passphrase: words.value.join(" "), hd: true }} unsaved done={t("first.makewallet")} back={() => (later.value = false)} />;
  }
  if (confirmed.value) {
    return <NewPassword secret={{ passphrase: words.value.join(" "), hd: true }} done={t("first.makewallet")} back={() => (confirmed.value = false)} />;
  }
  if (positions.value.length > 0) {
    return <Confirm words={words.value} asked={positions.value} done={() => (confirmed.value = true)} back={() => (positions.value = [])} />;
  }
  const choose = (chosen: 12 | 24) => {
    count.value = chosen;
    void draw();
  };
  return (
    <Form onSubmit={() => void ask()}>
      <Title text={t("words.title")} />
      <p>
        {rich("words.write", { danger: <strong>{t("words.danger")}</strong> })}
      </p>
      <fieldset>
        <legend class="unseen">{t("words.howmany")}</legend>
        <Check name="count" checked={count.value === 12} onCheck={() => choose(12)}>
          {t("words.count", { count: 12 })}
        </Check>
        <Check name="count" checked={count.value === 24} onCheck={() => choose(24)}>
          {t("words.count", { count: 24 })}
        </Check>
      </fieldset>
      <ol class={`words ${count.value > 12 ? "many" : ""}`} translate={false}>
        {Array.from({ length: count.value }, (_, n) => (
          <li key={n}>{revealed.value ? words.value[n] : <span aria-hidden="true">••••••</span>}</li>
        ))}
      </ol>
      <button type="button" class="secondary" disabled={words.value.length !== count.value} onClick={() => (revealed.value = !revealed.value)}>
        {t(revealed.value ? "words.hide" : "words.show")}
      </button>
      <div class="actions">
        <Button disabled={!revealed.value || words.value.length !== count.value}>{t("backup.done")}</Button>
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
      <Title text={t("words.confirm")} />
      <p>{t("words.enter")}</p>
      <div class="row">
        {asked.map((number, n) => (
          <Field
            key={number}
            label={t("words.word", { number })}
            value={given.value[n] ?? ""}
            onText={(text) => {
              given.value = given.peek().map((old, at) => (at === n ? text : old));
              checked.value = false;
            }}
            error={checked.value && !isRight(n) ? t(given.value[n]?.trim() ? "words.wrong" : "words.missing") : ""}
          />
        ))}
      </div>
      <div class="actions">
        <button type="submit">{t("coins.continue")}</button>
        <button type="button" class="secondary" onClick={back}>
          {t("words.again")}
        </button>
      </div>
    </Form>
  );
}
