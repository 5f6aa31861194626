const HEAD = 9;
const TAIL = 5;

/** Returns the beginning and the end of an address or a hash. Where it has to be verified, it is displayed in full. */
export const headTail = (text: string): string => (text.length > HEAD + TAIL + 1 ? `${text.slice(0, HEAD)}…${text.slice(-TAIL)}` : text);
