/** What the node in this page logs, the last lines of it. They have no secrets in them. */

import { signal } from "@preact/signals";

export interface LogLine {
  /** Counts the lines. */
  n: number;
  at: Date;
  level: "error" | "warn" | "info" | "debug";
  text: string;
}

const KEEP = 500;

export const logLines = signal<readonly LogLine[]>([]);

let count = 0;

export function log(level: LogLine["level"], text: string) {
  logLines.value = [...logLines.value.slice(1 - KEEP), { n: ++count, at: new Date(), level, text }];
}
