import { Fragment, type ComponentChildren } from "preact";
import { partsOf, type Text } from "../language.ts";

/** A text with elements in it: rich(name, { amount: <Amount … /> }). Its language decides where they stand. */
export const rich = (name: Text, values: Record<string, ComponentChildren>): ComponentChildren =>
  partsOf(name).map((part, n) => <Fragment key={n}>{typeof part === "string" ? part : values[part.value]}</Fragment>);
