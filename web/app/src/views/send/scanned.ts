import { signal } from "@preact/signals";

/** What takes the text of a code; null: none is looked for. */
export const codeScanned = signal<((text: string) => void) | null>(null);
