/** The last log lines of the node in this page. They contain no secrets. */

import { signal } from "@preact/signals";

export interface LogLine {
  /** The line number. */
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
