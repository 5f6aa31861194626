import { useSignal } from "@preact/signals";
import { t } from "../../language.ts";
import { addPasskey, hasPasskeys, isRefusal, NoSecret, removePasskey } from "../../session/passkey.ts";
import { WrongPassword } from "../../session/reveal.ts";
import { profile } from "../../session/session.ts";
import { announce } from "../../ui/announce.tsx";
import { Button } from "../../ui/button.tsx";
import { Fault } from "../../ui/fault.tsx";
import { Form } from "../../ui/form.tsx";
import { Password } from "../../ui/password.tsx";
import { useTask } from "../../ui/task.ts";
import { when } from "../../ui/when.ts";
import { currentName } from "../wallets/sign.tsx";
import { wrongPassword } from "./wrong.ts";

/** Passkeys that open the wallet in use, in addition to its password. */
export function Passkeys() {
  const passkeys = profile.value?.page?.passkeys ?? [];
  const remove = useTask(removePasskey);
  if (!hasPasskeys() && passkeys.length === 0) {
    return null;
  }
  return (
    <details>
      <summary>{t("passkey.title")}</summary>
      <p>{t("passkey.about")}</p>
      {passkeys.length > 0 && (
        <ul class="active">
          {passkeys.map((passkey) => (
            <li key={passkey.made}>
              <span>{t("passkey.made", { time: when(new Date(passkey.made)) })}</span>
              <button type="button" class="quiet" onClick={() => void remove.run(passkey)}>
                {t("passkey.remove")}
              </button>
            </li>
          ))}
        </ul>
      )}
      <Fault error={remove.error.value} />
      {hasPasskeys() && <Add />}
    </details>
  );
}

function Add() {
  const [password, wrong, failed] = [useSignal(""), useSignal(""), useSignal("")];
  const task = useTask(async () => {
    wrong.value = failed.value = "";
    try {
      await addPasskey(password.peek(), currentName(profile.peek()));
      announce(t("passkey.added"));
    } catch (error) {
      if (error instanceof WrongPassword) {
        wrong.value = wrongPassword(error);
      } else if (error instanceof NoSecret || isRefusal(error)) {
        failed.value = t(error instanceof NoSecret ? "passkey.unfit" : "passkey.refused");
      } else {
        throw error;
      }
    } finally {
      password.value = "";
    }
  });
  return (
    <Form onSubmit={() => void task.run()}>
      <Password label={t("passkey.password")} text={password} error={wrong.value} />
      {failed.value && <p role="alert">{failed.value}</p>}
      <Fault error={task.error.value} />
      <div class="actions">
        <Button busy={task.busy.value}>{t("passkey.add")}</Button>
      </div>
    </Form>
  );
}
