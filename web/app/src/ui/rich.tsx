import { Fragment, type ComponentChildren } from "preact";
import { partsOf, type Text } from "../language.ts";

/** Returns a text with elements in it: rich(name, { amount: <Amount … /> }). The language determines their positions. */
export const rich = (name: Text, values: Record<string, ComponentChildren>): ComponentChildren =>
  partsOf(name).map((part, n) => <Fragment key={n}>{typeof part === "string" ? part : values[part.value]}</Fragment>);
