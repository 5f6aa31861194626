import { useSignal } from "@preact/signals";
import { t } from "../../language.ts";
import type { PageSecret } from "../../session/profile.ts";
import { Button } from "../../ui/button.tsx";
import { Check } from "../../ui/check.tsx";
import { Fault } from "../../ui/fault.tsx";
import { Form } from "../../ui/form.tsx";
import { Password } from "../../ui/password.tsx";
import { useTask } from "../../ui/task.ts";

/** Restores a wallet from a wallet file. */
export function ImportFile({ onSecret }: { onSecret: (secret: PageSecret) => void }) {
  const [password, wrong, fault] = [useSignal(""), useSignal(""), useSignal("")];
  const [file, oneKey] = [useSignal<File | null>(null), useSignal(false)];
  const task = useTask(async () => {
    const chosen = file.peek();
    fault.value = chosen ? "" : t("file.choose");
    wrong.value = password.peek() ? "" : t("file.nopassword");
    if (!chosen || wrong.peek()) {
      return;
    }
    const [{ BadFile, fromFile }, { read }] = await Promise.all([import("../../session/walletfile.ts"), import("../../mnemonic.ts")]);
    try {
      const passphrase = await fromFile(chosen, password.peek());
      const found = read(passphrase);
      onSecret(found.is === "mnemonic" ? { passphrase: found.words, hd: !oneKey.peek() } : { passphrase, hd: false });
    } catch (error) {
      if (!(error instanceof BadFile)) {
        throw error;
      }
      (error.is === "password" ? wrong : fault).value = t(error.is === "password" ? "file.wrongpassword" : "file.invalid", { name: chosen.name });
    } finally {
      password.value = "";
    }
  });
  return (
    <details>
      <summary>{t("file.import")}</summary>
      <p>{t("file.importabout")}</p>
      <Form onSubmit={() => void task.run()}>
        <label>
          {t("file.file")}
          <input
            type="file"
            accept=".json,application/json"
            onChange={(event) => {
              file.value = event.currentTarget.files?.[0] ?? null;
              fault.value = "";
            }}
          />
        </label>
        {fault.value && (
          <small class="wrong" role="alert">
            {fault.value}
          </small>
        )}
        <Password label={t("file.importpassword")} text={password} error={wrong.value} />
        <Check checked={oneKey.value} onCheck={(checked) => (oneKey.value = checked)}>
          {t("file.onekey")}
        </Check>
        <Fault error={task.error.value} />
        <div class="actions">
          <Button busy={task.busy.value}>{t("file.open")}</Button>
        </div>
      </Form>
    </details>
  );
}
