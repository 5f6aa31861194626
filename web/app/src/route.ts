/**
 * Where the user is: the part of the address behind "#". `#/send/ATOM?to=cosmos1…` is the
 * view "send" with the argument "ATOM" and the query to=cosmos1…. Nothing of it reaches a
 * server; secrets never stand in it.
 */

import { signal } from "@preact/signals";

export interface Route {
  /** The view's path; "" is the start. */
  name: string;
  args: string[];
  query: URLSearchParams;
}

function read(): Route {
  const [path = "", query = ""] = location.hash.replace(/^#\/?/, "").split("?", 2);
  const [name = "", ...args] = path.split("/").map(decode);
  return { name, args, query: new URLSearchParams(query) };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export const route = signal<Route>(read());

let shown = location.hash;

function show() {
  shown = location.hash;
  route.value = read();
}

addEventListener("popstate", show); // for a link to where the user is, too, which may have changed what it asks for
addEventListener("hashchange", () => shown === location.hash || show());

/** The address of a view, for links: href("send", ["ATOM"], {to: "…"}). */
export function href(name: string, args: string[] = [], query: Record<string, string> = {}): string {
  const search = new URLSearchParams(query).toString();
  return `#/${[name, ...args].map(encodeURIComponent).join("/")}${search && `?${search}`}`;
}

/** Goes to a view, as a click on its link would. */
export function go(name: string, args: string[] = [], query: Record<string, string> = {}) {
  location.hash = href(name, args, query);
}
