import { href } from "../../route.ts";
import { Address } from "../../ui/address.tsx";
import { Amount } from "../../ui/amount.tsx";
import { coinsOf } from "./amounts.ts";
import type { Input, Output } from "./draft.ts";

const kinds: Record<Output["is"], string> = {
  coins: "Coins",
  tokens: "Tokens",
  marker: "Marker that lists the token",
  payload: "Token data",
  data: "Data",
  other: "Coins under a condition",
};

/** What a transaction pays, and to whom. */
export function Outputs({ outputs, coin }: { outputs: Output[]; coin: string }) {
  return (
    <>
      <h2>Outputs</h2>
      <ol class="parts" start={0}>
        {outputs.map((out) => (
          <li key={out.n}>
            <p>
              {kinds[out.is]}
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
              {out.owner && `, to ${out.owner}`}
            </p>
            {out.address ? <Address value={out.address} what={`the address of output ${out.n}`} copy={false} /> : <code>{out.script}</code>}
          </li>
        ))}
      </ol>
    </>
  );
}

/** What a transaction spends. */
export function Inputs({ inputs, coin }: { inputs: Input[]; coin: string }) {
  if (inputs.length === 0) {
    return <p>It spends nothing: it makes new coins.</p>;
  }
  return (
    <>
      <h2>Inputs</h2>
      <ol class="parts" start={0}>
        {inputs.map(({ txid, n, value, address }) => (
          <li key={`${txid} ${n}`}>
            <p>
              {value === null ? "Not known to this chain" : <Amount value={coinsOf(value)} unit={coin} />}
              {address && ` of ${address}`}
            </p>
            <a href={href("tokens", ["decode", txid])}>
              Output {n} of {txid}
            </a>
          </li>
        ))}
      </ol>
    </>
  );
}
