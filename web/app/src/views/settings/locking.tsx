import { useSignal } from "@preact/signals";
import { t } from "../../language.ts";
import { choices, idleMinutes, setIdleMinutes } from "../../session/idle.ts";
import { WrongPassword } from "../../session/reveal.ts";
import { canLock, profile } from "../../session/session.ts";
import { changePassword } from "../../session/wallets.ts";
import { announce } from "../../ui/announce.tsx";
import { Button } from "../../ui/button.tsx";
import { Fault } from "../../ui/fault.tsx";
import { Choice } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { NewPassword, useNewPassword } from "../../ui/newpassword.tsx";
import { Password } from "../../ui/password.tsx";
import { useTask } from "../../ui/task.ts";
import { Passkeys } from "./passkeys.tsx";
import { wrongPassword } from "./wrong.ts";

const label = (minutes: number) => t("lock.after", { minutes });

/** The idle timeout of the wallet, and its password. */
export function Locking() {
  const { use, page } = profile.value ?? {};
  if (!canLock(profile.value)) {
    return null;
  }
  return (
    <section class="settings">
      <h2>{t("nav.lock")}</h2>
      <Choice label={t("lock.when")} value={String(idleMinutes.value)} onText={(text) => setIdleMinutes(Number(text))}>
        {choices.map((minutes) => (
          <option key={minutes} value={String(minutes)}>
            {label(minutes)}
          </option>
        ))}
      </Choice>
      {use === "page" && page?.kind === "passphrase" && <Passkeys />}
      {use === "page" && page?.kind === "passphrase" && <ChangePassword />}
    </section>
  );
}

function ChangePassword() {
  const [old, oldWrong] = [useSignal(""), useSignal("")];
  const next = useNewPassword();
  const done = useSignal(false);
  const task = useTask(async () => {
    done.value = false;
    oldWrong.value = "";
    if (!(await next.check())) {
      return;
    }
    try {
      await changePassword(old.peek(), next.text.peek());
      old.value = next.text.value = "";
      done.value = true;
      announce(t("lock.done"));
    } catch (error) {
      if (!(error instanceof WrongPassword)) {
        throw error;
      }
      oldWrong.value = wrongPassword(error);
    }
  });
  return (
    <details>
      <summary>{t("lock.change")}</summary>
      <Form onSubmit={() => void task.run()}>
        <Password label={t("lock.current")} text={old} error={oldWrong.value} />
        <NewPassword chosen={next} user={null} />
        {(profile.value?.page?.passkeys?.length ?? 0) > 0 && <p>{t("passkey.gone")}</p>}
        <Fault error={task.error.value} />
        <div class="actions">
          <Button busy={task.busy.value}>{t("lock.changeit")}</Button>
        </div>
        {done.value && <p>{t("lock.changed")}</p>}
      </Form>
    </details>
  );
}
