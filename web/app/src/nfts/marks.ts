/** NFTs that the user has hidden or reported as spam. They are stored in this browser, for each node and wallet. */

import { effect, signal, untracked } from "@preact/signals";
import { whose } from "../coins/remembered.ts";
import { recall, remember } from "../memory.ts";
import { connection } from "../node.ts";
import { keyOf, type Token } from "./nft.ts";

export type Mark = "hidden" | "spam";

const MOST = 2000;
const name = () => `nft.marks.${whose()}`;
const all = signal<Record<string, unknown>>({});

effect(() => {
  connection.value;
  untracked(() => {
    try {
      all.value = (JSON.parse(recall(name()) ?? "{}") as Record<string, unknown> | null) ?? {};
    } catch {
      all.value = {};
    }
  });
});

export const markOf = (token: Token): Mark | null => {
  const mark = all.value[keyOf(token)];
  return mark === "hidden" || mark === "spam" ? mark : null;
};

export function setMark(token: Token, mark: Mark | null) {
  const others = Object.entries(all.value).filter(([key]) => key !== keyOf(token));
  all.value = Object.fromEntries([...others, ...(mark ? [[keyOf(token), mark]] : [])].slice(-MOST));
  remember(name(), JSON.stringify(all.value));
}
