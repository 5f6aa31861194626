/** Methods in an OpenRPC document. */

import { t } from "../../language.ts";

/** B is the node API, A the daemon API. */
export type Side = "B" | "A";

export interface Schema {
  type?: string;
  description?: string;
  default?: unknown;
  enum?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  oneOf?: Schema[];
  minimum?: number;
  maximum?: number;
}

export interface Param {
  name: string;
  description?: string;
  required?: boolean;
  schema: Schema;
}

export interface Method {
  name: string;
  summary: string;
  description?: string;
  params: Param[];
  /** The kinds of its errors, and when they occur. */
  errors: { kind: string; when: string }[];
}

/** Describes the values that a schema allows in a few words. */
export function typeOf({ type, enum: values, items, oneOf, minimum, maximum }: Schema): string {
  if (oneOf) {
    return oneOf.map(typeOf).join(` ${t("console.or")} `);
  }
  if (values) {
    return values.map((value) => JSON.stringify(value)).join(", ");
  }
  const range = [minimum !== undefined && t("console.from", { minimum }), maximum !== undefined && t("console.upto", { maximum })].filter(Boolean).join(" ");
  return [type === "array" && items ? t("console.arrayof", { type: typeOf(items) }) : (type ?? t("console.anything")), range].filter(Boolean).join(" ");
}

/** Returns the members of objects that a schema allows, and which of them are required. */
export function membersOf(schema: Schema): { members: Record<string, Schema>; required: string[] } {
  const all = schema.oneOf ?? [schema];
  return { members: Object.assign({}, ...all.map(({ properties }) => properties ?? {})), required: all.length === 1 ? (schema.required ?? []) : [] };
}

/** Returns the schema of an object, or of the items of an array. */
export const inner = (schema: Schema): Schema => (schema.items ? inner(schema.items) : schema);

/** Returns the parameters of a method as one schema. */
export const paramsSchema = ({ params }: Method): Schema => ({
  type: "object",
  properties: Object.fromEntries(params.map(({ name, schema }) => [name, schema])),
  required: params.filter(({ required }) => required).map(({ name }) => name),
});

/** Returns the schema at a path of keys; arrays are passed through. */
export function schemaAt(schema: Schema, path: readonly string[]): Schema | null {
  return path.reduce<Schema | null>((at, key) => (at && membersOf(inner(at)).members[key]) ?? null, schema);
}
