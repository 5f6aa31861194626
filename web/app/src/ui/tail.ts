const HEAD = 9;
const TAIL = 5;

/** An address or a hash so short that it fits everywhere: its head and its tail. What is to be checked is shown whole. */
export const headTail = (text: string): string => (text.length > HEAD + TAIL + 1 ? `${text.slice(0, HEAD)}…${text.slice(-TAIL)}` : text);
