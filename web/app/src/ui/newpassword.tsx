import { useSignal, useSignalEffect, type Signal } from "@preact/signals";
import { t } from "../language.ts";
import { normalPassword } from "../session/crypto.ts";
import { Said } from "../words.ts";
import { Password } from "./password.tsx";

const SHORTEST = 8;
const LOWEST = 2; // the lowest accepted score of a password
const PAUSE = 150; // ms after a key press before the strength is evaluated

const names = ["password.easy", "password.easy", "password.weak", "password.good", "password.strong"] as const;

const load = () =>
  import("../strength.ts").catch((error: unknown) => {
    throw new Said(t("password.unchecked"), t("password.uncheckedtodo"), error);
  });

/** Returns what is wrong with a new password; "" if nothing. */
async function weakness(password: string): Promise<string> {
  if ([...normalPassword(password)].length < SHORTEST) {
    return t("password.short", { count: SHORTEST });
  }
  const { score, reason } = (await load()).strengthOf(password);
  return score >= LOWEST ? "" : t("password.guess", { reason: reason && t(reason) }).replace("  ", " ");
}

export interface Chosen {
  text: Signal<string>;
  wrong: Signal<string>;
  strength: Signal<string>;
  /** Reports whether the password may be used; if not, wrong says why. */
  check: () => Promise<boolean>;
}

/** The state of a new password. */
export function useNewPassword(): Chosen {
  const [text, wrong, strength] = [useSignal(""), useSignal(""), useSignal("")];
  useSignalEffect(() => {
    const given = text.value;
    wrong.value = "";
    if (given === "") {
      strength.value = "";
      return undefined;
    }
    const show = async () => {
      const { score } = (await load()).strengthOf(given);
      strength.value = given === text.peek() ? t("password.strength", { name: t(names[score] ?? "password.easy") }) : strength.peek();
    };
    const timer = setTimeout(() => void show().catch(() => {}), PAUSE); // check reports the failure
    return () => clearTimeout(timer);
  });
  const check = async () => {
    wrong.value = await weakness(text.peek());
    return wrong.peek() === "";
  };
  return { text, wrong, strength, check };
}

/** The field of a new password. */
export function NewPassword({ chosen, user }: { chosen: Chosen; user?: null }) {
  const hint = (
    <>
      {t("password.least", { count: SHORTEST })} <span role="status">{chosen.strength.value}</span>
    </>
  );
  return <Password label={t("password.new")} text={chosen.text} error={chosen.wrong.value} hint={hint} isNew {...(user === null && { user })} />;
}
