/** Formats a date and time for all views. */
export const when = (at: Date): string => at.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
