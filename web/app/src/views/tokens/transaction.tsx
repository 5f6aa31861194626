import { t, type Text } from "../../language.ts";
import { href } from "../../route.ts";
import { Address } from "../../ui/address.tsx";
import { Amount } from "../../ui/amount.tsx";
import { coinsOf } from "./amounts.ts";
import type { Input, Output } from "./draft.ts";

const kinds: Record<Output["is"], Text> = {
  coins: "tokens.iscoins",
  tokens: "tokens.title",
  marker: "tokens.ismarker",
  payload: "tokens.ispayload",
  data: "tokens.data",
  other: "tokens.iscondition",
};

/** The outputs of a transaction. */
export function Outputs({ outputs, coin }: { outputs: Output[]; coin: string }) {
  return (
    <>
      <h2>{t("tokens.outputs")}</h2>
      <ol class="parts" start={0}>
        {outputs.map((out) => (
          <li key={out.n}>
            <p>
              {t(kinds[out.is])}
              {out.is === "tokens" ? (
                <>
                  {": "}
                  <Amount value={out.value.toString()} unit="tokens" />
                </>
              ) : (
                (out.value > 0n || out.is === "coins") && (
                  <>
                    {": "}
                    <Amount value={coinsOf(out.value)} unit={coin} />
                  </>
                )
              )}
              {out.owner && t("tokens.toowner", { owner: out.owner })}
            </p>
            {out.address ? <Address value={out.address} what={t("tokens.outputaddress", { n: out.n })} copy={false} /> : <code>{out.script}</code>}
          </li>
        ))}
      </ol>
    </>
  );
}

/** The inputs of a transaction. */
export function Inputs({ inputs, coin }: { inputs: Input[]; coin: string }) {
  if (inputs.length === 0) {
    return <p>{t("tokens.coinbase")}</p>;
  }
  return (
    <>
      <h2>{t("tokens.inputs")}</h2>
      <ol class="parts" start={0}>
        {inputs.map(({ txid, n, value, address }) => (
          <li key={`${txid} ${n}`}>
            <p>
              {value === null ? t("tokens.unknowninput") : <Amount value={coinsOf(value)} unit={coin} />}
              {address && ` ${t("tokens.ofaddress", { address })}`}
            </p>
            <a href={href("tokens", ["decode", txid])}>
              {t("tokens.output", { n, txid })}
            </a>
          </li>
        ))}
      </ol>
    </>
  );
}
