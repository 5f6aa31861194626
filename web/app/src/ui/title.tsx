import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

/** Whether something was shown before: the first view of a visit does not take the focus. */
let shown = false;

/** A view's heading. It takes the focus when the view is shown, and names the page. */
export function Title({ children, text }: { children?: ComponentChildren; text: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${text} · Obverse`;
    if (shown) {
      heading.current?.focus();
    }
    shown = true;
  }, [text]);
  return (
    <h1 ref={heading} tabIndex={-1}>
      {children ?? text}
    </h1>
  );
}
