/** Letters that are not seen, or that change the order in which others are: controls, directions, joiners, tags. */
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;

/** A text of somebody else with every letter that would not be seen as its number, "\u202e". */
export const plainly = (text: string): string => text.replace(HIDDEN, (letter) => `\\u${letter.codePointAt(0)?.toString(16).padStart(4, "0")}`);
