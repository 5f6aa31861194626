import { visible } from "../visible.ts";

/** A text written by others, such as a memo or a name: it cannot change the direction of the text around it. */
export const Untrusted = ({ text }: { text: string }) => <bdi>{visible(text)}</bdi>;
