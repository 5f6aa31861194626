import { useSignal } from "@preact/signals";
import { compare } from "../../decimal.ts";
import { t } from "../../language.ts";
import { Address } from "../../ui/address.tsx";
import { Amount } from "../../ui/amount.tsx";
import { Button } from "../../ui/button.tsx";
import { Fact } from "../../ui/fact.tsx";
import { Fault } from "../../ui/fault.tsx";
import { Field } from "../../ui/field.tsx";
import { focusWrong } from "../../ui/focus.ts";
import { Form } from "../../ui/form.tsx";
import { Progress } from "../../ui/progress.tsx";
import { rich } from "../../ui/rich.tsx";
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
    return t("tokens.wrongkey");
  }
  return key.toLowerCase() === BURN_KEY ? t("tokens.burnkey") : key.toLowerCase() === account.key ? t("tokens.ownkey") : "";
}

const wrongAmount = (amount: string, held: string): string => wrongCount(amount) || (compare(amount, held) > 0 ? t("tokens.onlyhave", { held }) : "");

/** Sends tokens to another key, or burns them. */
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
  const [verb, noun] = burn ? [t("tokens.burn"), t("tokens.burning")] : [t("tokens.transfer"), t("tokens.transfernoun")];
  if (draft.value && known) {
    const count = amount.value.trim();
    return (
      <Review title={`${verb} ${name}`} draft={draft.value} account={known} what={t("tokens.movement", { noun, count, name })} back={() => (draft.value = null)} {...(burn && { consent: t("tokens.consent") })}>
        <Fact name={verb}>
          <Amount value={count} unit={name} />
        </Fact>
        <Fact name={t("tokens.token")}>
          <Address value={id} what={t("tokens.tokenid")} copy={false} />
        </Fact>
        <Fact name={t("tokens.to")}>
          {burn && <p>{t("tokens.nokeyowner")}</p>}
          <Address value={burn ? BURN_KEY : to.value.trim()} what={t("tokens.newowner")} copy={false} />
        </Fact>
      </Review>
    );
  }
  const error = token.error.value ?? account.error.value;
  return (
    <Form onSubmit={() => void build.run()}>
      <Back id={id} name={name || t("tokens.token")} />
      <Title text={`${verb} ${name}`.trim()} />
      <Fault error={worded(error, known)} retry={() => (token.reload(), account.reload())} />
      {found && known ? (
        <>
          <p>
            {rich("tokens.youhold", { amount: <Amount value={found.mine} unit={name} /> })}
          </p>
          {burn ? <p>{t("tokens.burnabout")}</p> : <Field label={t("tokens.ownerlabel")} value={to.value} onText={(text) => (to.value = text)} error={wrong.value.to} hint={t("tokens.ownerhint")} required />}
          <Field label={t("tokens.howmany")} inputMode="numeric" value={amount.value} onText={(text) => (amount.value = text)} error={wrong.value.amount} required />
          <Fault error={worded(build.error.value, known)} />
          <div class="actions">
            <Button busy={build.busy.value}>{t("tokens.continue")}</Button>
            <button type="button" class="secondary" onClick={() => (amount.value = found.mine)}>
              {t("tokens.all")}
            </button>
          </div>
        </>
      ) : (
        error === null && <Progress label={t("tokens.readingone")} />
      )}
    </Form>
  );
}
