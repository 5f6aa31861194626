/** Short news at the edge of the page, which go by themselves; a screen reader says them too. */

import { signal } from "@preact/signals";
import { announce } from "./announce.tsx";

interface Toast {
  id: number;
  text: string;
}

const STAY = 5000; // ms
const MOST = 3;

const toasts = signal<readonly Toast[]>([]);
let count = 0;

/** Shows a short text. */
export function toast(text: string) {
  const id = ++count;
  toasts.value = [...toasts.peek(), { id, text }].slice(-MOST);
  announce(text);
  setTimeout(() => (toasts.value = toasts.peek().filter((shown) => shown.id !== id)), STAY);
}

/** Where they are shown. Another place announces them to screen readers, each once. */
export function Toasts() {
  return (
    <div class="toasts" aria-hidden="true">
      {toasts.value.map(({ id, text }) => (
        <p key={id}>{text}</p>
      ))}
    </div>
  );
}
