/** Light or dark: as the system says, or as the user does. */

import { signal } from "@preact/signals";
import { recall, remember } from "./memory.ts";

export type Theme = "system" | "light" | "dark";

const kept = recall("theme");

/** What the user chose. */
export const theme = signal<Theme>(kept === "light" || kept === "dark" ? kept : "system");

/** Chooses a theme, here and for the next visit; public/theme.js reads it then. */
export function setTheme(chosen: Theme) {
  theme.value = chosen;
  if (chosen === "system") {
    delete document.documentElement.dataset.theme;
  } else {
    document.documentElement.dataset.theme = chosen;
  }
  remember("theme", chosen);
}
