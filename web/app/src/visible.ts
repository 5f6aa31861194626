/**
 * Removes characters from texts that are invisible or change the direction of what follows. Such
 * characters occur in pasted text, and can be hidden in names and memos of others.
 */

const SPACES = /[\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/g;

/** Unicode's ignorable characters and control characters, except line feeds and tabs. */
const INVISIBLE = /(?![\t\n\r\u200c\u200d\ufe0e\ufe0f])[\p{DI}\p{Cc}]/gu;

/** Joiners and variation selectors, which belong to Persian, Indian scripts and emoji. */
const JOINERS = /[\u200c\u200d\ufe0e\ufe0f]+/g;

/** Returns a text without invisible characters and with ordinary spaces. Joiners stay where a script needs them. */
export const visible = (text: string): string =>
  text
    .replace(SPACES, " ")
    .replace(INVISIBLE, "")
    .replace(JOINERS, (marks, at: number, whole: string) => (whole.charCodeAt(at - 1) > 0x7f ? marks : ""));
