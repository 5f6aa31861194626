/**
 * JSON whose numbers keep their digits. JavaScript would make floating point of them, in
 * which 9007199254740993 is another number, and 1.10 is 1.1.
 */

export interface Token {
  kind: "{" | "}" | "[" | "]" | "," | ":" | "string" | "plain";
  start: number;
  end: number;
  /** A string without its closing quote: the line ends in it. */
  open?: true;
}

/** Behind the closing quote of the string that begins at start; 0 if there is none before the end of the line. */
function endOfString(text: string, start: number, line: number): number {
  for (let quote = text.indexOf('"', start + 1); quote >= 0 && quote < line; quote = text.indexOf('"', quote + 1)) {
    let slashes = 0;
    while (text[quote - 1 - slashes] === "\\") {
      slashes++;
    }
    if (slashes % 2 === 0) {
      return quote + 1;
    }
  }
  return 0;
}

/** The parts of a JSON text, which need not be whole; "plain" is a number or a word. */
export function* tokens(text: string): Generator<Token> {
  const plain = /[^\s"{}[\],:]+/y;
  let line = -1; // where the line ends
  for (let start = 0; start < text.length; ) {
    const char = text[start] as string;
    let token: Token;
    if (char === '"') {
      if (line < start) {
        const next = text.indexOf("\n", start);
        line = next < 0 ? text.length : next;
      }
      const end = endOfString(text, start, line);
      token = end > 0 ? { kind: "string", start, end } : { kind: "string", start, end: line, open: true };
    } else if ("{}[],:".includes(char)) {
      token = { kind: char as Token["kind"], start, end: start + 1 };
    } else {
      plain.lastIndex = start;
      const end = plain.test(text) ? plain.lastIndex : 0;
      if (end === 0) {
        start++; // white space
        continue;
      }
      token = { kind: "plain", start, end };
    }
    yield token;
    start = token.end;
  }
}

/** A type in JSON with its numbers as texts. */
export type Exact<T> = T extends number ? string : T extends object ? { [K in keyof T]: Exact<T[K]> } : T;

/** The value of a JSON text, with the digits of its numbers in place of the numbers. Throws a SyntaxError. */
export function parseExact(text: string): unknown {
  JSON.parse(text); // what is quoted below must have been JSON before
  let quoted = "";
  for (const { kind, start, end } of tokens(text)) {
    const part = text.slice(start, end);
    quoted += kind === "plain" && /^[-\d]/.test(part) ? `"${part}"` : part;
  }
  return JSON.parse(quoted);
}

/** A JSON text in lines, with everything in it as it is written. */
export function pretty(text: string): string {
  let [out, depth, empty] = ["", 0, false];
  const line = () => `\n${"  ".repeat(depth)}`;
  for (const { kind, start, end } of tokens(text)) {
    const part = text.slice(start, end);
    if (kind === "}" || kind === "]") {
      depth = Math.max(0, depth - 1);
      out += empty ? part : line() + part;
      empty = false;
      continue;
    }
    out += empty ? line() : "";
    empty = kind === "{" || kind === "[";
    depth += empty ? 1 : 0;
    out += part + (kind === "," ? line() : kind === ":" ? " " : "");
  }
  return out;
}
