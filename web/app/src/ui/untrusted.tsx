import { visible } from "../visible.ts";

/** A text that someone else wrote, such as a memo or a name: it cannot change the direction of what is around it. */
export const Untrusted = ({ text }: { text: string }) => <bdi>{visible(text)}</bdi>;
