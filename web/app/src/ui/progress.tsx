import type { ComponentChildren } from "preact";

/**
 * Something goes on. With done and of the bar tells how far it is; without, that it is
 * not known.
 */
export function Progress({ label, done, of, children }: { label: string; done?: number; of?: number; children?: ComponentChildren }) {
  const known = done !== undefined && of !== undefined && of > 0;
  return (
    <div class="working">
      <p role="status">{label}</p>
      <progress aria-label={label} {...(known ? { value: done, max: of } : {})} />
      {children}
    </div>
  );
}
