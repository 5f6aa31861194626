/** Connects the page to the node that serves it, with the token of a one-time link. */

import { linkFault } from "./linktoken.ts";
import type { NativeNode, NativeSecret } from "./profile.ts";

/** The user name for the daemon API; the node accepts any on this port. */
const USER = "obverse";

/** Returns the node that serves this page: its daemon API has the same port and password. */
export function servingNode(): NativeNode {
  const url = new URL(".", document.baseURI).href;
  return { url, daemon: { url: new URL("daemon", url).href, user: USER } };
}

/** The error for a link that the node rejects. */
class Refused extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** Exchanges the token for the password. */
async function redeem(token: string): Promise<string> {
  const answer = await fetch(new URL("link", document.baseURI), {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ token }),
    cache: "no-store",
    credentials: "omit",
  });
  const { userpass, error } = (await answer.json()) as { userpass?: string; error?: string };
  if (!answer.ok || userpass === undefined) {
    throw new Refused(answer.status, error ?? `HTTP status ${String(answer.status)}`);
  }
  return userpass;
}

const reasons: Record<number, "refused" | "toomany"> = { 403: "refused", 429: "toomany" };

/** Connects and reports whether it succeeded; otherwise linkFault says why. */
export async function connectByLink(token: string, useNative: (native: NativeNode, secret: NativeSecret) => Promise<void>): Promise<boolean> {
  try {
    const password = await redeem(token);
    await useNative(servingNode(), { password, daemonPassword: password });
    return true;
  } catch (error) {
    linkFault.value = (error instanceof Refused && reasons[error.status]) || { error };
    return false;
  }
}
