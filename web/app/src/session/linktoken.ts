/**
 * The token of a one-time link, which a native node prints when it starts: #link=… connects this page to the node that
 * serves it. The token is removed from the address before anything else happens, so that it does not get into a history.
 */

import { signal } from "@preact/signals";

const LINK = "#link=";

/**
 * Why the page did not connect by its link: the node rejected it, since it accepts each once and for a short time only; there
 * were too many wrong ones; or another error. Null if there was no link or it worked.
 */
export const linkFault = signal<"refused" | "toomany" | { error: unknown } | null>(null);

/** Whether the user enters the node's password instead of using the link. */
export const wantsPassword = signal(false);

let token = location.hash.startsWith(LINK) ? location.hash.slice(LINK.length) : "";
if (token) {
  history.replaceState(history.state, "", location.pathname + location.search);
}

/** Returns the token once; "" if the link had no token. */
export function takeToken(): string {
  const taken = token;
  token = "";
  return taken;
}
