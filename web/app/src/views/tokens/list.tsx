import { useSignal, type ReadonlySignal } from "@preact/signals";
import { badAnswer } from "../../bounded.ts";
import { compare } from "../../decimal.ts";
import { t } from "../../language.ts";
import { href } from "../../route.ts";
import { Amount } from "../../ui/amount.tsx";
import { Check } from "../../ui/check.tsx";
import { Fault } from "../../ui/fault.tsx";
import { Field } from "../../ui/field.tsx";
import { Progress } from "../../ui/progress.tsx";
import { rich } from "../../ui/rich.tsx";
import { useLoad } from "../../ui/task.ts";
import { Title } from "../../ui/title.tsx";
import { AccountFacts } from "./accountfacts.tsx";
import { useAccount, useTip } from "./account.ts";
import { ask, askEach } from "./daemon.ts";
import { isBalance, isId, isInfo, nameOf } from "./answers.ts";
import { SentList, useWaits } from "./sentlist.tsx";
import { tokensOf, trim } from "./amounts.ts";
import { isKeyless, worded } from "./words.ts";

interface Row {
  id: string;
  name: string;
  /** Number of tokens; null if not known. */
  supply: string | null;
  balance: string | null;
}

interface Page {
  rows: Row[];
  /** Number of tokens on the chain. */
  all: number;
}

/** Longer lists have a search field. */
const FEW = 8;

/** Tokens that are loaded at a time. */
const STEP = 100;

async function load(count: number): Promise<Page> {
  const answer: unknown = await ask("tokenlist");
  if (!Array.isArray(answer)) {
    throw badAnswer("tokenlist");
  }
  const ids = answer.filter(isId);
  const wanted = ids.slice(0, count);
  const each = wanted.map((id): [string] => [id]);
  const [infos, balances] = await Promise.all([askEach("tokeninfo", each), askEach("tokenbalance", each)]);
  const rows = wanted.map((id, i): Row => {
    const [info, balance] = [infos[i], balances[i]];
    return {
      id,
      name: isInfo(info) ? nameOf(info) : "",
      supply: isInfo(info) ? tokensOf(info.supply) : null,
      balance: isBalance(balance) ? balance.balance : null,
    };
  });
  const held = (row: Row) => row.balance !== null && compare(row.balance, "0") > 0;
  rows.sort((a, b) => a.name.localeCompare(b.name) || (a.id < b.id ? -1 : 1));
  return { rows: [...rows.filter(held), ...rows.filter((row) => !held(row))], all: ids.length };
}

/** The tokens of the chain, and the node key's balances. */
export function List() {
  const tip = useTip(useWaits());
  const account = useAccount(tip);
  const count = useSignal(STEP);
  const page = useLoad(() => load(count.value), [tip, count.value]);
  const error = account.error.value ?? page.error.value;
  const known = account.value.value;
  if (isKeyless(error)) {
    return (
      <>
        <Title text={t("tokens.title")} />
        <Fault error={worded(error, null)} />
      </>
    );
  }
  const retry = () => (account.reload(), page.reload());
  return (
    <>
      <Title text={t("tokens.title")} />
      <Fault error={worded(error, known)} retry={retry} />
      {page.value.value && known ? (
        <>
          <p>
            {rich("tokens.have", { amount: <Amount value={trim(known.balance)} unit={known.coin} /> })}
          </p>
          <div class="actions">
            <a class="go" href={href("tokens", ["create"])}>
              {t("tokens.create")}
            </a>
            <a class="go secondary" href={href("tokens", ["decode"])}>
              {t("tokens.decodetitle")}
            </a>
          </div>
          <SentList tip={tip} />
          <h2>{t("tokens.onchain")}</h2>
          <Rows page={page.value} more={() => (count.value += STEP)} />
          <AccountFacts account={known} changed={retry} />
        </>
      ) : (
        error === null && <Progress label={t("tokens.reading")} />
      )}
    </>
  );
}

function Rows({ page, more }: { page: ReadonlySignal<Page | null>; more: () => void }) {
  const find = useSignal("");
  const held = useSignal(false);
  const { rows, all } = page.value ?? { rows: [], all: 0 };
  if (all === 0) {
    return <p>{t("tokens.none")}</p>;
  }
  const text = find.value.trim().toLowerCase();
  const visibleRows = rows.filter(({ id, name, balance }) => (id.startsWith(text) || name.toLowerCase().includes(text)) && !(held.value && (balance === null || compare(balance, "0") === 0)));
  return (
    <>
      {all > FEW && (
        <>
          <Field label={t("tokens.find")} hint={t("tokens.findhint")} type="search" value={find.value} onText={(now) => (find.value = now)} />
          <Check checked={held.value} onCheck={(now) => (held.value = now)}>
            {t("tokens.onlymine")}
          </Check>
        </>
      )}
      {visibleRows.length === 0 ? <p>{t("tokens.nomatch")}</p> : <Table rows={visibleRows} />}
      {rows.length < all && (
        <p>
          {t("tokens.read", { rows: rows.length, all })}{" "}
          <button type="button" class="quiet" onClick={more}>
            {t("tokens.readmore")}
          </button>
        </p>
      )}
    </>
  );
}

const Table = ({ rows }: { rows: Row[] }) => (
  <table>
    <thead>
      <tr>
        <th scope="col">{t("tokens.token")}</th>
        <th scope="col" class="number">
          {t("tokens.hold")}
        </th>
        <th scope="col" class="number more">
          {t("tokens.created")}
        </th>
      </tr>
    </thead>
    <tbody>
      {rows.map(({ id, name, supply, balance }) => (
        <tr key={id}>
          <td>
            <a href={href("tokens", [id])}>{name || t("tokens.unnamed")}</a>
            <small class="id"> {id.slice(0, 8)}…</small>
          </td>
          <td class="number">
            <Amount value={balance} />
          </td>
          <td class="number more">
            <Amount value={supply} />
          </td>
        </tr>
      ))}
    </tbody>
  </table>
);
