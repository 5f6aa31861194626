import { effect, signal, untracked } from "@preact/signals";
import { t } from "../language.ts";
import { connection } from "../node.ts";
import { isEvm } from "./family.ts";
import { holdings } from "./holdings.ts";
import { keyOf } from "./keyplace.ts";

/** Reports whether a browser wallet signs for a coin. */
const isExternal = (ticker: string): boolean => keyOf(ticker) === "browser";

/** Returns the display name of a kind of wallet. */
const nameOf = (kind: string): string => (kind === "keplr" ? "Keplr" : t(kind === "eip1193" ? "coins.evmwallet" : "coins.awallet"));

/** Returns the kind of wallet that signs for a coin. */
const kindOf = (ticker: string): string => (isEvm(ticker) ? "eip1193" : "keplr");

/** The kinds of wallets whose account has changed since the coins were activated. */
export const switched = signal<readonly string[]>([]);

let end = () => {};

effect(() => {
  const node = connection.value;
  untracked(() => {
    end();
    switched.value = [];
    end = node?.subscribe("WALLET_SWITCHED", ({ message: { wallet } }) => (switched.value = [...new Set([...switched.peek(), wallet])])) ?? (() => {});
  });
});

/** A notice that coins belong to another account than the one that is selected in their wallet. */
export function Switched() {
  const all = (holdings.value ?? []).map(({ ticker }) => ticker).filter(isExternal);
  return (
    <>
      {switched.value.map((kind) => (
        <Account key={kind} kind={kind} coins={all.filter((ticker) => kindOf(ticker) === kind)} />
      ))}
    </>
  );
}

function Account({ kind, coins }: { kind: string; coins: readonly string[] }) {
  if (coins.length === 0) {
    return null;
  }
  return (
    <div class="note warn" role="status">
      <p>
        {t("coins.switched", { wallet: nameOf(kind), coins: coins.join(", "), count: coins.length })}
      </p>
      <button type="button" class="quiet" onClick={() => (switched.value = switched.peek().filter((one) => one !== kind))}>
        {t("coins.understood")}
      </button>
    </div>
  );
}
