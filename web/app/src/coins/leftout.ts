/**
 * Servers that a coin was activated without, because others of its servers could be used.
 * No method tells them: it is the log of a node in this page that does. A native node, and
 * one that another tab runs, log elsewhere.
 */

import { effect, signal, untracked } from "@preact/signals";
import { logLines } from "../log.ts";
import { connection } from "../node.ts";
import { serverFault, type ServerFault } from "./reasons.ts";

/** By the coin's ticker; those of its last activation. */
export const leftOut = signal<ReadonlyMap<string, readonly ServerFault[]>>(new Map());

/** The coin is activated anew. */
export const forgetLeftOut = (ticker: string) => void (leftOut.value = new Map([...leftOut.peek()].filter(([other]) => other !== ticker)));

const LINE = "a coin goes without one of its nodes ";

/** What a line of the log says: values with spaces in them are quoted, as Go does it. */
export function readLeftOut(text: string): { coin: string; url: string; reason: string } | null {
  if (!text.startsWith(LINE)) {
    return null;
  }
  const pairs = [...text.slice(LINE.length).matchAll(/(\w+)=(?:"((?:[^"\\]|\\.)*)"|(\S*))/g)];
  const { coin = "", url = "", reason = "" } = Object.fromEntries(pairs.map(([, name = "", quoted, plain = ""]) => [name, quoted?.replaceAll(/\\(.)/g, "$1") ?? plain]));
  return coin && url ? { coin, url, reason } : null;
}

/** The last line that was read. */
let read = 0;

effect(() => {
  const news = logLines.value.filter(({ n }) => n > read);
  read = news.at(-1)?.n ?? read;
  for (const { text } of news) {
    const found = readLeftOut(text);
    if (found) {
      const others = (leftOut.peek().get(found.coin) ?? []).filter(({ url }) => url !== found.url);
      leftOut.value = new Map([...leftOut.peek(), [found.coin, [...others, serverFault(found.url, found.reason)]]]);
    }
  }
});

effect(() => {
  connection.value; // another node has other coins
  untracked(() => (leftOut.value = new Map()));
});
