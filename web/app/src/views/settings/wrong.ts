import { t } from "../../language.ts";
import type { WrongPassword } from "../../session/session.ts";

/** A wrong password in words, with the pause that there may be. */
export function wrongPassword({ until, tried }: WrongPassword): string {
  const seconds = Math.ceil((until - Date.now()) / 1000);
  const wait = seconds > 0 ? t("unlock.wait", { seconds }) : "";
  return tried ? `${t("unlock.wrong")} ${wait}`.trim() : wait || t("unlock.again");
}
