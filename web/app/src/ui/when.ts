/** A time of day on a date, as all views write it. */
export const when = (at: Date): string => at.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
