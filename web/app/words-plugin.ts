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

/**
 * Compiles the catalogues of texts in src/words, so that the page needs no parser of messages. A module such as
 * en.json?usual has one part of them.
 */
export const words = (): Plugin => ({
  name: "words",
  enforce: "pre",
  transform(code, id) {
    const [, asked] = /\/src\/words\/[a-z]+\.json\?(start|usual|more|design|begin)$/.exec(id) ?? [];
    if (asked === undefined) {
      return null;
    }
    const texts = Object.entries(JSON.parse(code) as Record<string, string>).filter(([name]) => holds(asked, partOf(name)));
    return { code: `export default ${JSON.stringify(Object.fromEntries(texts.map(([name, text]) => [name, compact(compileMessage(text))])))};`, map: null, moduleType: "js" };
  },
});

/** A message without a variable is a text. */
const compact = (message: ReturnType<typeof compileMessage>) => (message.length === 1 && typeof message[0] === "string" ? message[0] : message);
