import type { WrongPassword } from "../../session/session.ts";

/** A wrong password in words, with the pause that there may be. */
export function wrongPassword({ until }: WrongPassword): string {
  const seconds = Math.ceil((until - Date.now()) / 1000);
  return seconds > 0 ? `This password is wrong. Wait ${seconds} s before you try again.` : "This password is wrong.";
}
