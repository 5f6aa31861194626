/** The colour theme: the system's, or the user's choice. */

import { signal } from "@preact/signals";
import { recall, remember } from "./memory.ts";

export type Theme = "system" | "light" | "dark";

const stored = recall("theme");

/** The user's choice. */
export const theme = signal<Theme>(stored === "light" || stored === "dark" ? stored : "system");

/** Sets the theme, which later visits keep: public/theme.js reads it before the page is drawn. */
export function setTheme(chosen: Theme) {
  theme.value = chosen;
  if (chosen === "system") {
    delete document.documentElement.dataset.theme;
  } else {
    document.documentElement.dataset.theme = chosen;
  }
  remember("theme", chosen);
}
