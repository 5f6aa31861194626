/**
 * The page of another origin that opened this window as its wallet, and the channel to it.
 * The other half is src/dapp/window.js of the package: this page notifies its opener that it
 * is ready and receives a port. The browser identifies the opener: event.origin.
 */

import { effect, signal } from "@preact/signals";
import { route } from "../route.ts";

export interface Link {
  origin: string;
  port: MessagePort;
}

/** The site that opened this window; null if the page was not opened by a site. Messages wait in the port until it is read. */
export const link = signal<Link | null>(null);

/** A page loaded from a file, or in a sandbox, has no origin that could be displayed or remembered. */
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
  // The target origin is "*": any opener already knows that the window shows the wallet page.
  effect(() => {
    const { name, query } = route.value;
    name === "connect" && window.opener?.postMessage({ obverse: "ready", ask: query.get("ask") }, "*");
  });
}
