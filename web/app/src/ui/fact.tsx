import type { ComponentChildren } from "preact";

/** A row of a list of facts, a dl: what it is, and how it is. */
export function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}
