import { useSignal } from "@preact/signals";
import { badAnswer } from "../../bounded.ts";
import { compare } from "../../decimal.ts";
import { t } from "../../language.ts";
import { href } from "../../route.ts";
import { Address } from "../../ui/address.tsx";
import { Amount } from "../../ui/amount.tsx";
import { Button } from "../../ui/button.tsx";
import { Fact } from "../../ui/fact.tsx";
import { Fault } from "../../ui/fault.tsx";
import { Field } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { Progress } from "../../ui/progress.tsx";
import { rich } from "../../ui/rich.tsx";
import { useLoad, useTask } from "../../ui/task.ts";
import { Title } from "../../ui/title.tsx";
import { visible } from "../../visible.ts";
import { cut } from "../../words.ts";
import { isBalance, isInfo, nameOf } from "./answers.ts";
import { BURN_KEY, useAccount, useTip } from "./account.ts";
import { tokensOf } from "./amounts.ts";
import { Back } from "./back.tsx";
import { ask, type Answer } from "./daemon.ts";
import { SentList, useWaits } from "./sentlist.tsx";
import { worded } from "./words.ts";

interface Known {
  info: Answer<"tokeninfo">;
  mine: string;
  burned: string;
}

export async function tokenOf(id: string): Promise<Known> {
  const [info, mine, burned] = await Promise.all([ask("tokeninfo", id), ask("tokenbalance", id), ask("tokenbalance", id, BURN_KEY)]);
  if (!isInfo(info) || !isBalance(mine) || !isBalance(burned)) {
    throw badAnswer("tokeninfo");
  }
  return { info: { ...info, name: nameOf(info), description: cut(visible(info.description)), ...(info.data !== undefined && { data: cut(info.data) }) }, mine: mine.balance, burned: burned.balance };
}

/** One token with all details. */
export function Token({ id }: { id: string }) {
  const tip = useTip(useWaits());
  const account = useAccount(tip);
  const token = useLoad(() => tokenOf(id), [tip]);
  const { value: known } = token.value;
  const name = known?.info.name || t("tokens.token");
  return (
    <>
      <Back />
      <Title text={name} />
      <Fault error={worded(token.error.value, account.value.value)} retry={token.reload} />
      {known ? (
        <>
          <Facts known={known} own={account.value.value?.key ?? (account.error.value === null ? null : "")} />
          {compare(known.mine, "0") > 0 && (
            <div class="actions">
              <a class="go" href={href("tokens", [id, "transfer"])}>
                {t("tokens.transfer")}
              </a>
              <a class="go secondary" href={href("tokens", [id, "burn"])}>
                {t("tokens.burn")}
              </a>
            </div>
          )}
          <SentList tip={tip} />
          <Holder id={id} />
        </>
      ) : (
        token.error.value === null && <Progress label={t("tokens.readingone")} />
      )}
    </>
  );
}

/** @param own the node's key; null if not known yet */
function Facts({ known: { info, mine, burned }, own }: { known: Known; own: string | null }) {
  return (
    <dl>
      <Fact name={t("tokens.hold")}>
        <Amount value={mine} unit={info.name} />
      </Fact>
      <Fact name={t("tokens.created")}>
        <Amount value={tokensOf(info.supply)} unit={info.name} />
      </Fact>
      <Fact name={t("tokens.burned")}>
        <Amount value={burned} unit={info.name} />
      </Fact>
      {info.description && <Fact name={t("tokens.description")}><bdi>{info.description}</bdi></Fact>}
      {info.data !== undefined && (
        <Fact name={t("tokens.data")}>
          <code>{info.data}</code>
        </Fact>
      )}
      <Fact name={t("tokens.id")}>
        <Address value={info.tokenid} what={t("tokens.tokenid")} />
      </Fact>
      <Fact name={t("tokens.creator")}>
        {own === null ? "…" : info.owner === own ? "you" : <Address value={info.owner} what={t("tokens.creatorkey")} />}
      </Fact>
      {info.IsImported === "yes" && (
        <Fact name={t("tokens.imported")}>
          {rich("tokens.importedfrom", { chain: info.sourceChain, id: <code>{info.sourceTokenId}</code> })}
        </Fact>
      )}
    </dl>
  );
}

/** A form for the token balance of another key. */
function Holder({ id }: { id: string }) {
  const key = useSignal("");
  const found = useSignal<{ key: string; balance: string } | null>(null);
  const look = useTask(async () => {
    found.value = null;
    const query = key.peek().trim();
    const answer = await ask("tokenbalance", id, query);
    if (!isBalance(answer)) {
      throw badAnswer("tokenbalance");
    }
    found.value = { key: query, balance: answer.balance };
  });
  return (
    <details class="whole">
      <summary>{t("tokens.holder")}</summary>
      <Form onSubmit={() => void look.run()}>
        <Field label={t("tokens.publickey")} value={key.value} onText={(text) => (key.value = text)} hint={t("tokens.digits")} />
        <Fault error={worded(look.error.value, null)} />
        <Button busy={look.busy.value} class="secondary">
          {t("tokens.look")}
        </Button>
      </Form>
      <p role="status">
        {found.value && (
          <>
            {rich("tokens.itholds", { amount: <Amount value={found.value.balance} unit="tokens" /> })}
          </>
        )}
      </p>
    </details>
  );
}
