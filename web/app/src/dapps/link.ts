/**
 * The page of another origin that opened this window as its wallet, and the channel to it.
 * The other half is src/dapp/window.js of the package: this page tells its opener that it
 * is ready, and gets a port. Who the opener is, is what the browser says: event.origin.
 */

import { effect, signal } from "@preact/signals";
import { route } from "../route.ts";

export interface Link {
  origin: string;
  port: MessagePort;
}

/** The site that opened this window; null if no site did. Messages wait in the port until it is read. */
export const link = signal<Link | null>(null);

/** A page of a file, or in a sandbox, has no origin that a person could be shown or that could be remembered. */
const UNKNOWN = { code: 4100, message: "this page has no origin, so the wallet does not talk to it: serve it over http or https" };

function greet({ source, origin, data, ports: [port] }: MessageEvent) {
  if (!port || source !== window.opener || data?.obverse !== "connect" || data.version !== 1) {
    return;
  }
  if (!/^https?:\/\//.test(origin)) {
    port.onmessage = ({ data: message }) => port.postMessage({ id: message?.id, error: UNKNOWN });
    return;
  }
  link.peek()?.port.close();
  link.value = { origin, port };
}

if (window.opener) {
  addEventListener("message", greet);
  // To whoever it is: that a window shows the wallet page is known to whoever opened it.
  effect(() => {
    const { name, query } = route.value;
    name === "connect" && window.opener?.postMessage({ obverse: "ready", ask: query.get("ask") }, "*");
  });
}
