import type { WrongPassword } from "../../session/session.ts";

/** A wrong password in words, with the pause that there may be. */
export function wrongPassword({ until, tried }: WrongPassword): string {
  const seconds = Math.ceil((until - Date.now()) / 1000);
  const wait = seconds > 0 ? `Wait ${seconds} s before you try again.` : "";
  return tried ? `Wrong password. ${wait}`.trim() : wait || "Try again.";
}
