import { signal } from "@preact/signals";

/** The callback for a scanned text; null while nothing is scanned. */
export const codeScanned = signal<((text: string) => void) | null>(null);
