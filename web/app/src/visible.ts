/**
 * Texts as a person sees them: without the characters that show nothing or turn the direction of what follows. Such
 * characters come with what is pasted, and hide in the names and memos of others.
 */

const SPACES = /[\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/g;

/** Unicode's ignorable characters and control characters, without line feeds and tabs. */
const INVISIBLE = /(?![\t\n\r\u200c\u200d\ufe0e\ufe0f])[\p{DI}\p{Cc}]/gu;

/** Joiners and selectors of forms, which belong to Persian, to Indian scripts and to pictures. */
const JOINERS = /[\u200c\u200d\ufe0e\ufe0f]+/g;

/** A text without invisible characters, and with ordinary spaces. Joiners stay where another script needs them. */
export const visible = (text: string): string =>
  text
    .replace(SPACES, " ")
    .replace(INVISIBLE, "")
    .replace(JOINERS, (marks, at: number, whole: string) => (whole.charCodeAt(at - 1) > 0x7f ? marks : ""));
