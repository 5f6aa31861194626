import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { afterRender } from "./focus.ts";

/** Sets the width of the page's scrollbar for the styles. It cannot be measured while a dialog is open, which hides the scrollbar. */
function measureGutter() {
  const root = document.documentElement;
  if (!root.querySelector("dialog[open]")) {
    root.style.setProperty("--gutter", `${innerWidth - root.getBoundingClientRect().width}px`);
  }
}

/** Restores the previous focus; if that element is gone and nothing else has the focus, focuses the heading. */
function giveBack(before: Element | null) {
  const heading = document.activeElement === document.body ? document.querySelector<HTMLElement>("main h1") : null;
  (before instanceof HTMLElement && before.isConnected ? before : heading)?.focus();
}

/**
 * A modal dialog. The browser keeps the focus inside it; closing it restores the previous focus. Escape closes it. The title needs no id:
 * an id of a dialog outside the app's root could clash with one inside.
 * @param side show it at the side; a click outside closes it
 */
export function Dialog({ title, onClose, children, side = false }: { title: string; onClose: () => void; children: ComponentChildren; side?: boolean }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const [opened, before] = [dialog.current, document.activeElement];
    measureGutter();
    opened?.showModal();
    side && opened?.querySelector("h2")?.focus(); // rather than the first button, since nothing has to be done first
    return () => {
      opened?.close();
      afterRender(() => giveBack(before));
    };
  }, []);
  return (
    <dialog ref={dialog} class={side ? "side" : ""} aria-label={title} onCancel={onClose} onClick={(event) => side && event.target === dialog.current && onClose()}>
      <article>
        <h2 tabIndex={-1}>{title}</h2>
        {children}
      </article>
    </dialog>
  );
}
