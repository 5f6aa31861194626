/** Short messages at the edge of the page that disappear on their own; screen readers announce them too. */

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

/** Displays a short text. */
export function toast(text: string) {
  const id = ++count;
  toasts.value = [...toasts.peek(), { id, text }].slice(-MOST);
  announce(text);
  setTimeout(() => (toasts.value = toasts.peek().filter((other) => other.id !== id)), STAY);
}

/** The container of the toasts. The announcer announces each one once. */
export function Toasts() {
  return (
    <div class="toasts" aria-hidden="true">
      {toasts.value.map(({ id, text }) => (
        <p key={id}>{text}</p>
      ))}
    </div>
  );
}
