import { useSignal } from "@preact/signals";
import { t } from "../../language.ts";
import { WrongPassword } from "../../session/reveal.ts";
import { profile } from "../../session/session.ts";
import { announce } from "../../ui/announce.tsx";
import { Button } from "../../ui/button.tsx";
import { Fault } from "../../ui/fault.tsx";
import { Form } from "../../ui/form.tsx";
import { Password } from "../../ui/password.tsx";
import { useTask } from "../../ui/task.ts";
import { currentName } from "../wallets/sign.tsx";
import { wrongPassword } from "./wrong.ts";

/** Exports the wallet in use as a file encrypted with its password. */
export function ExportFile() {
  const [password, wrong, said] = [useSignal(""), useSignal(""), useSignal("")];
  const task = useTask(async () => {
    wrong.value = said.value = "";
    try {
      const { toFile } = await import("../../session/walletfile.ts");
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([await toFile(password.peek())], { type: "application/json" }));
      link.download = `${currentName(profile.peek()).replace(/[^\p{L}\p{N}_-]+/gu, "-")}.json`;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
      said.value = t("file.saved", { name: link.download });
      announce(said.peek());
    } catch (error) {
      if (!(error instanceof WrongPassword)) {
        throw error;
      }
      wrong.value = wrongPassword(error);
    } finally {
      password.value = "";
    }
  });
  return (
    <details>
      <summary>{t("file.export")}</summary>
      <p>{t("file.exportabout")}</p>
      <Form onSubmit={() => void task.run()}>
        <Password label={t("file.exportpassword")} text={password} error={wrong.value} />
        <Fault error={task.error.value} />
        <div class="actions">
          <Button busy={task.busy.value}>{t("file.save")}</Button>
        </div>
        {said.value && <p>{said.value}</p>}
      </Form>
    </details>
  );
}
