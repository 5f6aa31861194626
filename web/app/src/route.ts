/**
 * The current location: the part of the address after "#". `#/send/ATOM?to=cosmos1…` is the
 * view "send" with the argument "ATOM" and the query to=cosmos1…. It never reaches a
 * server, and never contains secrets.
 */

import { signal } from "@preact/signals";

export interface Route {
  /** The view's path; "" for Home. */
  name: string;
  args: string[];
  query: URLSearchParams;
}

function read(): Route {
  const [path = "", ...queries] = location.hash.replace(/^#\/?/, "").split("?");
  const [name = "", ...args] = path.split("/").map(decode);
  return { name, args, query: new URLSearchParams(queries.join("?")) };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export const route = signal<Route>(read());

let lastHash = location.hash;

function show() {
  lastHash = location.hash;
  route.value = read();
}

addEventListener("popstate", show); // also for a link to the current location, which may have changed its content
addEventListener("hashchange", () => lastHash === location.hash || show());

/** Returns the address of a view, for links: href("send", ["ATOM"], {to: "…"}). */
export function href(name: string, args: string[] = [], query: Record<string, string> = {}): string {
  const search = new URLSearchParams(query).toString();
  return `#/${[name, ...args].map(encodeURIComponent).join("/")}${search && `?${search}`}`;
}

/** Opens a view like a click on its link. */
export function go(name: string, args: string[] = [], query: Record<string, string> = {}) {
  location.hash = href(name, args, query);
}
