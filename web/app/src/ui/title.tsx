import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

/** Whether a view was rendered before: the first view of a visit does not take the focus, except for its field. */
let rendered = false;

/** A view's heading. It takes the focus when the view is rendered, unless a field of the view is to have it, and names the page. */
export function Title({ children, text }: { children?: ComponentChildren; text: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  // At once, and not after the next frame, which would take the focus from who has begun to type by then.
  useLayoutEffect(() => {
    document.title = `${text} · Obverse`;
    // Not by the browser's own autofocus, which comes with the next frame and complains if it finds the focus given.
    const field = heading.current?.closest("main")?.querySelector<HTMLElement>('[data-focus="first"]');
    (field ?? (rendered ? heading.current : null))?.focus();
    rendered = true;
  }, [text]);
  return (
    <h1 ref={heading} tabIndex={-1}>
      {children ?? text}
    </h1>
  );
}
