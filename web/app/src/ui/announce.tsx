/** A live region: what a screen reader says without the focus being moved. */

import { signal } from "@preact/signals";

const said = signal("");
let turn = false;

/** Says a short text, such as "Copied". */
export function announce(text: string) {
  turn = !turn;
  said.value = text + (turn ? "" : "\u00a0"); // the same text twice is said twice
}

/** Where it is said; the shell has one. */
export function Announcer() {
  return (
    <div class="unseen" role="status" aria-live="polite">
      {said}
    </div>
  );
}
