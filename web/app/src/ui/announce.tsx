/** A live region: text that a screen reader speaks without moving the focus. */

import { effect, signal } from "@preact/signals";
import { connection } from "../node.ts";

const said = signal("");
let turn = false;

/** Announces a short text, such as "Copied". */
export function announce(text: string) {
  turn = !turn;
  said.value = text + (turn ? "" : "\u00a0"); // change the text, so that the same text is announced again
}

// Announcements end when the wallet does.
effect(() => {
  if (connection.value === null) {
    said.value = "";
  }
});

/** The live region; the shell has one. */
export function Announcer() {
  return (
    <div class="unseen" role="status" aria-live="polite">
      {said}
    </div>
  );
}
