/** A live region: what a screen reader says without the focus being moved. */

import { effect, signal } from "@preact/signals";
import { connection } from "../node.ts";

const said = signal("");
let turn = false;

/** Says a short text, such as "Copied". */
export function announce(text: string) {
  turn = !turn;
  said.value = text + (turn ? "" : "\u00a0"); // the same text twice is said twice
}

// What was said of a wallet ends with it.
effect(() => {
  if (connection.value === null) {
    said.value = "";
  }
});

/** Where it is said; the shell has one. */
export function Announcer() {
  return (
    <div class="unseen" role="status" aria-live="polite">
      {said}
    </div>
  );
}
