import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

/**
 * A question that has to be answered first. The browser keeps the focus in it and gives
 * it back; Escape closes it. Its name needs no id: one that stands beside the app in the
 * document would get an id that the app has given too.
 */
export function Dialog({ title, onClose, children }: { title: string; onClose: () => void; children: ComponentChildren }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    return () => shown?.close();
  }, []);
  return (
    <dialog ref={dialog} aria-label={title} onCancel={onClose}>
      <article>
        <h2>{title}</h2>
        {children}
      </article>
    </dialog>
  );
}
