import { compileMessage } from "@lingui/message-utils/compileMessage";
import type { Plugin } from "vite";

/** What the frame says, which is there before the texts of the views; their names begin otherwise. */
const START = ["nav", "view", "node"];

/** The part of the English texts that has one: the page of all parts has its own. */
function partOf(name: string): string {
  const [area = ""] = name.split(".");
  return area === "design" ? area : START.includes(area) ? "start" : "rest";
}

/**
 * Compiles the catalogues of texts in src/words, so that the page needs no parser of messages. Of en.json?start the
 * page has what it shows at first; en.json?rest has those of the views and en.json?design those of the page of all parts.
 */
export const words = (): Plugin => ({
  name: "words",
  enforce: "pre",
  transform(code, id) {
    const [, part] = /\/src\/words\/[a-z]+\.json(?:\?(start|rest|design|all))?$/.exec(id) ?? [null, null];
    if (part === null) {
      return null;
    }
    const texts = Object.entries(JSON.parse(code) as Record<string, string>).filter(([name]) => part === "all" || part === undefined || partOf(name) === part);
    return { code: `export default ${JSON.stringify(Object.fromEntries(texts.map(([name, text]) => [name, compact(compileMessage(text))])))};`, map: null, moduleType: "js" };
  },
});

/** A message without a variable is a text. */
const compact = (message: ReturnType<typeof compileMessage>) => (message.length === 1 && typeof message[0] === "string" ? message[0] : message);
