import { t } from "../../language.ts";
import type { WrongPassword } from "../../session/reveal.ts";

/** Returns the message for a wrong password, with the waiting time if there is one. */
export function wrongPassword({ until, tried }: WrongPassword): string {
  const seconds = Math.ceil((until - Date.now()) / 1000);
  const wait = seconds > 0 ? t("unlock.wait", { seconds }) : "";
  return tried ? `${t("unlock.wrong")} ${wait}`.trim() : wait || t("unlock.again");
}
