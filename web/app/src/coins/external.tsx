import { effect, signal, untracked } from "@preact/signals";
import { connection } from "../node.ts";
import { platformOf } from "./catalog.ts";
import { holdings } from "./holdings.ts";
import { settingsOf } from "./remembered.ts";

/** Whether Keplr signs for a coin. */
export const isExternal = (ticker: string): boolean => settingsOf(platformOf(ticker) ?? ticker)?.external ?? false;

/** Keplr's user has chosen another account since somebody was told. */
export const switched = signal(false);

let end = () => {};

effect(() => {
  const node = connection.value;
  untracked(() => {
    end();
    switched.value = false;
    end = node?.subscribe("WALLET_SWITCHED", () => (switched.value = true)) ?? (() => {});
  });
});

/** Says that coins are of another account than the one that Keplr uses now. */
export function Switched() {
  const coins = (holdings.value ?? []).map(({ ticker }) => ticker).filter(isExternal);
  if (!switched.value || coins.length === 0) {
    return null;
  }
  return (
    <div class="note warn" role="status">
      <p>
        Keplr has switched to another account. {coins.join(", ")} {coins.length > 1 ? "are" : "is"} of the one before: choose that one again before you send, or disable {coins.length > 1 ? "them and activate them" : "it and activate it"} anew.
      </p>
      <button type="button" class="quiet" onClick={() => (switched.value = false)}>
        Understood
      </button>
    </div>
  );
}
