import type { ComponentChildren } from "preact";

/** A row of a description list (dl): a name and a value. */
export function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}
