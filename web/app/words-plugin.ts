import { readFileSync } from "node:fs";
import { compileMessage } from "@lingui/message-utils/compileMessage";
import type { Plugin } from "vite";

/**
 * The parts of a catalogue by the prefixes of their texts' names: the texts of the frame, and those of views that are rarely opened. All
 * other texts are in the part "usual".
 */
export const PARTS: Record<string, readonly string[]> = {
  start: ["nav", "view", "node", "frame", "error", "again"],
  more: ["activate", "console", "connect", "lightning", "nft", "nodes", "tokens"],
  design: ["design"],
};

/** Returns the part of a text. */
export const partOf = (name: string): string => Object.keys(PARTS).find((part) => PARTS[part]?.includes(name.split(".")[0] ?? "")) ?? "usual";

type Catalogue = Readonly<Record<string, string>>;
const [english, german] = ["en", "de"].map((language) => JSON.parse(readFileSync(new URL(`src/words/${language}.json`, import.meta.url), "utf8")) as Catalogue) as [Catalogue, Catalogue];

/**
 * The names of the texts in each part, in the order in which texts are numbered. Equal texts are stored once, under the name of the first.
 */
const lists: Record<string, string[]> = { start: [], usual: [], more: [], design: [] };

/** The numbers of texts, by which the page refers to them. Names without a dot are not replaced, since other strings look like them. */
const numbers = new Map<string, string>();
{
  const first = new Map<string, string>();
  const dotted = Object.keys(english).filter((name) => name.includes("."));
  for (const [part, list] of Object.entries(lists)) {
    for (const name of dotted.filter((one) => partOf(one) === part)) {
      const text = JSON.stringify([english[name], german[name], part === "design"]); // texts of this part are not shared with other parts
      const number = first.get(text) ?? first.size.toString(36);
      if (!first.has(text)) {
        first.set(text, number);
        list.push(name);
      }
      numbers.set(name, number);
    }
  }
}

/** Returns a module of the page with the names replaced by numbers. Only names of texts have this form. */
const numbered = (code: string): string => code.replace(/"([a-z]+\.[a-z\d]+)"/g, (whole, name: string) => (numbers.has(name) ? `"${numbers.get(name)}"` : whole));

/**
 * Returns the parts in a module. The page's first script has the English texts of the frame; another language starts with these and the
 * usual ones.
 */
const partsIn = (asked: string): string[] => (asked === "begin" ? ["start", "usual"] : [asked]);

/**
 * Compiles the catalogues of texts in src/words, so that the page does not need a message parser. A module such
 * as en.json?usual has one part of a catalogue: the number of its first text, all of its texts as lines, and the
 * texts without a number.
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

/**
 * Returns a message in the form that src/language.ts reads: unchanged if its braces only contain names
 * of variables, otherwise compiled.
 */
function line(text: string): string {
  const compiled = compileMessage(text);
  const plain = compiled.map((part) => (typeof part === "string" ? part : `{${part[0]}}`)).join("");
  return plain === text && compiled.every((part) => typeof part === "string" || part.length === 1) ? text : JSON.stringify(compiled);
}
