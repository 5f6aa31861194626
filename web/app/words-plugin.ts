import { readFileSync } from "node:fs";
import { compileMessage } from "@lingui/message-utils/compileMessage";
import type { Plugin } from "vite";

/** The parts of a catalogue, by the beginnings of their texts' names: the frame's, and those of views that are seldom open. All others are the usual ones. */
export const PARTS: Record<string, readonly string[]> = {
  start: ["nav", "view", "node", "frame"],
  more: ["activate", "console", "connect", "lightning", "nft", "nodes", "tokens"],
  design: ["design"],
};

/** The part that a text is in. */
export const partOf = (name: string): string => Object.keys(PARTS).find((part) => PARTS[part]?.includes(name.split(".")[0] ?? "")) ?? "usual";

/** Which parts a module has: of English, the frame's are in the page's first script; another language begins with these and the usual ones. */
const holds = (asked: string, part: string): boolean => asked === part || (asked === "begin" && (part === "start" || part === "usual"));

const english = JSON.parse(readFileSync(new URL("src/words/en.json", import.meta.url), "utf8")) as Record<string, string>;

/** Short names of the texts whose names have a dot, so that the page does not carry the long ones twice. */
const short = new Map(Object.keys(english).filter((name) => name.includes(".")).map((name, n) => [name, n.toString(36)]));

/** A module of the page with the short names; only names of texts look as they do. */
const shortened = (code: string): string => code.replace(/"([a-z]+\.[a-z\d]+)"/g, (whole, name: string) => (short.has(name) ? `"${short.get(name)}"` : whole));

/**
 * Compiles the catalogues of texts in src/words, so that the page needs no parser of messages. A module such as
 * en.json?usual has one part of them.
 */
export const words = (): Plugin => ({
  name: "words",
  enforce: "pre",
  transform(code, id) {
    if (/\/app\/src\/.*\.tsx?$/.test(id)) {
      return { code: shortened(code), map: null };
    }
    const [, asked] = /\/src\/words\/[a-z]+\.json\?(start|usual|more|design|begin)$/.exec(id) ?? [];
    if (asked === undefined) {
      return null;
    }
    const texts = Object.entries(JSON.parse(code) as Record<string, string>).filter(([name]) => holds(asked, partOf(name)));
    return { code: `export default ${JSON.stringify(Object.fromEntries(texts.map(([name, text]) => [short.get(name) ?? name, compact(compileMessage(text))])))};`, map: null, moduleType: "js" };
  },
});

/** A message without a variable is a text. */
const compact = (message: ReturnType<typeof compileMessage>) => (message.length === 1 && typeof message[0] === "string" ? message[0] : message);
