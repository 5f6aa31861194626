/** Templates for parameters: JSON with the required values, to be filled in. */

import { tokens, type Token } from "../../exact.ts";
import { membersOf, paramsSchema, type Method, type Schema, type Side } from "./document.ts";

const indent = (text: string, by: string) => text.replaceAll("\n", `\n${by}`);

/** Returns the smallest value that a schema allows, as JSON. */
export function valueOf(schema: Schema): string {
  const { type, enum: values, oneOf, items, description = "" } = schema;
  if (schema.default !== undefined) {
    return JSON.stringify(schema.default);
  }
  if (values) {
    return JSON.stringify(values[0]);
  }
  switch (type) {
    case "object":
      return objectOf(schema);
    case "array":
      return items?.type === "object" && !/may be empty/.test(description) ? `[${valueOf(items)}]` : "[]";
    case "boolean":
      return "false";
    case "integer":
    case "number":
      return String(schema.minimum ?? 0);
    case undefined:
      return oneOf?.[0] ? valueOf(oneOf[0]) : "null";
    default:
      return '""';
  }
}

function objectOf(schema: Schema): string {
  const { members, required } = membersOf(schema);
  const lines = required.map((name) => `\n  ${JSON.stringify(name)}: ${indent(valueOf(members[name] ?? {}), "  ")}`);
  return lines.length === 0 ? "{}" : `{${lines.join(",")}\n}`;
}

/** Returns a template with all required parameters: an object for the node API, an array for the daemon API. */
export function skeleton(side: Side, method: Method): string {
  if (side === "B") {
    return objectOf(paramsSchema(method));
  }
  return `[${method.params.filter(({ required }) => required).map(({ schema }) => indent(valueOf(schema), "  ")).join(", ")}]`;
}

/** Returns the position of the first value to fill in, without quotes, or the end of the text. */
export function firstGap(text: string): [start: number, end: number] {
  const empty = text.search(/""/);
  return empty < 0 ? [Math.max(text.length - 1, 0), Math.max(text.length - 1, 0)] : [empty + 1, empty + 1];
}

/** Returns the end of the outermost object or array, and its top-level content. */
function outline(text: string): { close: number; last: number; values: number } | null {
  let [depth, close, last, commas] = [0, -1, -1, 0];
  for (const { kind, start, end } of tokens(text) as Generator<Token>) {
    depth += kind === "{" || kind === "[" ? 1 : kind === "}" || kind === "]" ? -1 : 0;
    if (depth === 0 && (kind === "}" || kind === "]")) {
      close = start;
      break;
    }
    commas += depth === 1 && kind === "," ? 1 : 0;
    last = end;
  }
  const empty = close >= 0 && text.slice(text.search(/[{[]/) + 1, close).trim() === "";
  return close < 0 ? null : { close, last, values: empty ? 0 : commas + 1 };
}

/**
 * Adds a parameter. The daemon API has no names, so all parameters before it are added too.
 * Returns null if the text is not complete JSON.
 */
export function withParam(side: Side, method: Method, text: string, name: string): string | null {
  const before = text.trim() === "" ? skeleton(side, { ...method, params: [] }) : text;
  const found = outline(before);
  const at = method.params.findIndex((param) => param.name === name);
  if (!found || at < 0) {
    return null;
  }
  const { close, last, values } = found;
  const added = (side === "B" ? method.params.slice(at, at + 1) : method.params.slice(values, at + 1)).map((param) => (side === "B" ? `${JSON.stringify(param.name)}: ${indent(valueOf(param.schema), "  ")}` : valueOf(param.schema)));
  const head = before.slice(0, values === 0 ? close : last);
  const [comma, gap, tail] = side === "B" ? [",", "\n  ", "\n"] : [",", values === 0 ? "" : " ", ""];
  return `${head.trimEnd()}${values === 0 ? "" : comma}${gap}${added.join(`, `)}${tail}${before.slice(close)}`;
}

/** Returns the names of the parameters in a text, for the node API. */
export function given(text: string): Set<string> {
  let [depth, previous] = [0, ""];
  const names = new Set<string>();
  for (const { kind, start, end } of tokens(text)) {
    depth += kind === "{" || kind === "[" ? 1 : kind === "}" || kind === "]" ? -1 : 0;
    if (kind === ":" && depth === 1) {
      names.add(previous);
    }
    previous = kind === "string" ? text.slice(start + 1, end - 1) : "";
  }
  return names;
}

/** Returns the number of values in an array. */
export const countGiven = (text: string): number => outline(text)?.values ?? 0;
