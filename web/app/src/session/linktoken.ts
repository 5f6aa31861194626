/**
 * The token of a one-time link, which a native node prints when it starts: #link=… connects this page to the node that
 * serves it. The token is taken out of the address before anything else happens, so that no history keeps it.
 */

import { signal } from "@preact/signals";

const LINK = "#link=";

/**
 * Why the page did not connect by its link: the node refuses it, which takes each once and a short while only, or too many
 * wrong ones came, or another error; null: it had none, or it connected.
 */
export const linkFault = signal<"refused" | "toomany" | { error: unknown } | null>(null);

/** The user enters the node's password in place of the link. */
export const wantsPassword = signal(false);

let token = location.hash.startsWith(LINK) ? location.hash.slice(LINK.length) : "";
if (token) {
  history.replaceState(history.state, "", location.pathname + location.search);
}

/** The token, once; "": no token. */
export function takeToken(): string {
  const taken = token;
  token = "";
  return taken;
}
