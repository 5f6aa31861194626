import { readFileSync } from "node:fs";
import { compileMessage } from "@lingui/message-utils/compileMessage";
import type { Plugin } from "vite";

/** The parts of a catalogue, by the beginnings of their texts' names: the frame's, and those of views that are seldom open. All others are the usual ones. */
export const PARTS: Record<string, readonly string[]> = {
  start: ["nav", "view", "node", "frame", "error", "again"],
  more: ["activate", "console", "connect", "lightning", "nft", "nodes", "tokens"],
  design: ["design"],
};

/** The part that a text is in. */
export const partOf = (name: string): string => Object.keys(PARTS).find((part) => PARTS[part]?.includes(name.split(".")[0] ?? "")) ?? "usual";

type Catalogue = Readonly<Record<string, string>>;
const [english, german] = ["en", "de"].map((language) => JSON.parse(readFileSync(new URL(`src/words/${language}.json`, import.meta.url), "utf8")) as Catalogue) as [Catalogue, Catalogue];

/** The parts in the order in which their texts are counted, with the names of their texts; equal texts are one, which has the name of the first. */
const lists: Record<string, string[]> = { start: [], usual: [], more: [], design: [] };

/** The numbers of texts, by which the page calls them; names without a dot stay, for other texts look as they do. */
const numbers = new Map<string, string>();
{
  const first = new Map<string, string>();
  const dotted = Object.keys(english).filter((name) => name.includes("."));
  for (const [part, list] of Object.entries(lists)) {
    for (const name of dotted.filter((one) => partOf(one) === part)) {
      const text = JSON.stringify([english[name], german[name], part === "design"]); // a part of its own, whose texts others do not have
      const number = first.get(text) ?? first.size.toString(36);
      if (!first.has(text)) {
        first.set(text, number);
        list.push(name);
      }
      numbers.set(name, number);
    }
  }
}

/** A module of the page with the numbers; only names of texts look as they do. */
const numbered = (code: string): string => code.replace(/"([a-z]+\.[a-z\d]+)"/g, (whole, name: string) => (numbers.has(name) ? `"${numbers.get(name)}"` : whole));

/** The parts in a module: of English, the frame's are in the page's first script; another language begins with these and the usual ones. */
const partsIn = (asked: string): string[] => (asked === "begin" ? ["start", "usual"] : [asked]);

/**
 * Compiles the catalogues of texts in src/words, so that the page needs no parser of messages. A module such as
 * en.json?usual has one part of them: the number of its first text, all as lines, and those that have no number.
 */
export const words = (): Plugin => ({
  name: "words",
  enforce: "pre",
  transform(code, id) {
    if (/\/app\/src\/.*\.tsx?$/.test(id)) {
      return { code: numbered(code), map: null };
    }
    const [, asked] = /\/src\/words\/[a-z]+\.json\?(start|usual|more|design|begin)$/.exec(id) ?? [];
    if (asked === undefined) {
      return null;
    }
    const texts = JSON.parse(code) as Catalogue;
    const names = partsIn(asked).flatMap((part) => lists[part] ?? []);
    const others = Object.keys(texts).filter((name) => !name.includes(".") && partsIn(asked).includes(partOf(name)));
    const lines = (wanted: string[]) => wanted.map((name) => line(texts[name] ?? ""));
    const made = [parseInt(numbers.get(names[0] ?? "") ?? "0", 36), lines(names).join("\n"), Object.fromEntries(lines(others).map((text, n) => [others[n], text]))];
    return { code: `export default ${JSON.stringify(made)};`, map: null, moduleType: "js" };
  },
});

/** A message as src/language.ts reads it: as it is if its braces only name variables, else compiled. */
function line(text: string): string {
  const compiled = compileMessage(text);
  const plain = compiled.map((part) => (typeof part === "string" ? part : `{${part[0]}}`)).join("");
  return plain === text && compiled.every((part) => typeof part === "string" || part.length === 1) ? text : JSON.stringify(compiled);
}
