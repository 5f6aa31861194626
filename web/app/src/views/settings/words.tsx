import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { t } from "../../language.ts";
import { reveal, WrongPassword } from "../../session/reveal.ts";
import { profile } from "../../session/session.ts";
import { changeCurrent } from "../../session/wallets.ts";
import { announce } from "../../ui/announce.tsx";
import { Button } from "../../ui/button.tsx";
import { Fault } from "../../ui/fault.tsx";
import { Form } from "../../ui/form.tsx";
import { Password } from "../../ui/password.tsx";
import { useTask } from "../../ui/task.ts";
import { ExportFile } from "./exportfile.tsx";
import { wrongPassword } from "./wrong.ts";

const SHOWN = 60_000; // ms

/** Displays the recovery phrase or passphrase for a minute, after the password was entered. */
export function Words() {
  const password = useSignal("");
  const wrong = useSignal("");
  const secret = useSignal("");
  useEffect(() => {
    if (secret.value) {
      const timer = setTimeout(() => (secret.value = ""), SHOWN);
      return () => clearTimeout(timer);
    }
    return undefined;
  }, [secret.value]);
  const task = useTask(async () => {
    wrong.value = "";
    try {
      secret.value = (await reveal(password.peek())).passphrase;
    } catch (error) {
      if (!(error instanceof WrongPassword)) {
        throw error;
      }
      wrong.value = wrongPassword(error);
    } finally {
      password.value = "";
    }
  });
  const saved = useTask(async () => {
    await changeCurrent(({ unsaved: _, ...wallet }) => wallet);
    secret.value = "";
    announce(t("backup.saved"));
  });
  return (
    <section class="settings">
      <h2>{t("backup.title")}</h2>
      {profile.value?.page?.unsaved && <p class="note warn">{t("backup.about")}</p>}
      <details>
        <summary>{t("backup.show")}</summary>
        {secret.value ? (
          <>
            <p>{t("backup.danger")}</p>
            <p class="secret" translate={false}>
              {secret.value}
            </p>
            <div class="actions">
              {profile.value?.page?.unsaved && (
                <Button type="button" busy={saved.busy.value} onClick={() => void saved.run()}>
                  {t("backup.done")}
                </Button>
              )}
              <button type="button" class="secondary" onClick={() => (secret.value = "")}>
                {t("backup.hide")}
              </button>
            </div>
            <Fault error={saved.error.value} />
          </>
        ) : (
          <Form onSubmit={() => void task.run()}>
            <p>{t("backup.alone")}</p>
            <Password label={t("unlock.password")} text={password} error={wrong.value} />
            <Fault error={task.error.value} />
            <div class="actions">
              <Button busy={task.busy.value}>{t("password.show")}</Button>
            </div>
          </Form>
        )}
      </details>
      <ExportFile />
    </section>
  );
}
