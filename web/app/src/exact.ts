/**
 * JSON with exact numbers. JavaScript would convert them to floating point, which
 * changes 9007199254740993 to another number and 1.10 to 1.1.
 */

export interface Token {
  kind: "{" | "}" | "[" | "]" | "," | ":" | "string" | "plain";
  start: number;
  end: number;
  /** Whether the string lacks its closing quote on this line. */
  open?: true;
}

/** Returns the position after the closing quote of the string that begins at start; 0 if the line ends before it. */
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

/** Yields the tokens of a JSON text, which may be incomplete; "plain" is a number or a word. */
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

/** The type of a JSON value whose numbers are texts. */
export type Exact<T> = T extends number ? string : T extends object ? { [K in keyof T]: Exact<T[K]> } : T;

/** Parses a JSON text with numbers as texts. Throws a SyntaxError. */
export function parseExact(text: string): unknown {
  JSON.parse(text); // the text must be valid JSON before its numbers are quoted
  let quoted = "";
  for (const { kind, start, end } of tokens(text)) {
    const part = text.slice(start, end);
    quoted += kind === "plain" && /^[-\d]/.test(part) ? `"${part}"` : part;
  }
  return JSON.parse(quoted);
}

/** Formats a JSON text in lines without changing its values. */
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
