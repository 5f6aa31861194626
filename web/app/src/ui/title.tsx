import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

/** Whether a view was rendered before: the first view of a visit does not take the focus, except for its field. */
let rendered = false;

/** A view's heading. It takes the focus when the view is rendered, unless a field of the view does, and sets the title of the page. */
export function Title({ children, text }: { children?: ComponentChildren; text: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  // At once: in the next frame it could take the focus from a user who has begun to type.
  useLayoutEffect(() => {
    document.title = `${text} · Obverse`;
    // The browser's autofocus acts in the next frame, and complains if an element has the focus.
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
