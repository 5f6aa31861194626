import { effect, signal, untracked } from "@preact/signals";
import { connection } from "../node.ts";
import { isEvm } from "./family.ts";
import { holdings } from "./holdings.ts";
import { keyOf } from "./keyplace.ts";

/** Whether a wallet of the browser signs for a coin. */
const isExternal = (ticker: string): boolean => keyOf(ticker) === "browser";

/** The kinds of wallets, as the node names them, with what their users call them. */
const names: Record<string, string> = { keplr: "Keplr", eip1193: "Your wallet for EVM networks" };

/** The kind of wallet that signs for a coin. */
const kindOf = (ticker: string): string => (isEvm(ticker) ? "eip1193" : "keplr");

/** The kinds of wallets whose users have chosen another account since somebody was told. */
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

/** Says that coins are of another account than the one that their wallet uses now. */
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
        {names[kind] ?? "A wallet"} has switched to another account. {coins.join(", ")} {coins.length > 1 ? "are" : "is"} of the one before: choose that one again before you send, or disable {coins.length > 1 ? "them and activate them" : "it and activate it"} again.
      </p>
      <button type="button" class="quiet" onClick={() => (switched.value = switched.peek().filter((one) => one !== kind))}>
        Understood
      </button>
    </div>
  );
}
