import type { ComponentChildren } from "preact";

/**
 * An operation in progress. With done and of, the bar shows the progress; otherwise it is indeterminate.
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
