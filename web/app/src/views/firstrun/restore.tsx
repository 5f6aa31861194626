import { useSignal } from "@preact/signals";
import { t } from "../../language.ts";
import type { Reading } from "../../mnemonic.ts";
import type { PageSecret } from "../../session/profile.ts";
import { Button } from "../../ui/button.tsx";
import { Check } from "../../ui/check.tsx";
import { Fault } from "../../ui/fault.tsx";
import { Area } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { useTask } from "../../ui/task.ts";
import { Title } from "../../ui/title.tsx";
import { ImportFile } from "./importfile.tsx";
import { NewPassword } from "./newpassword.tsx";

/** The user has words, or another secret. */
export default function Restore({ back }: { back: () => void }) {
  const text = useSignal("");
  const error = useSignal("");
  const reading = useSignal<Reading["is"]>("mnemonic"); // until it is known better
  const agreed = useSignal(false);
  const oneKey = useSignal(false);
  const secret = useSignal<PageSecret | null>(null);
  const task = useTask(async () => {
    const given = text.peek().replace(/^[\r\n]+|[\r\n]+$/g, "");
    if (given.trim() === "") {
      error.value = t("restore.nothing");
      return;
    }
    const { read } = await import("../../mnemonic.ts");
    const found = read(given);
    reading.value = found.is;
    if (found.is === "mnemonic") {
      secret.value = { passphrase: found.words, hd: !oneKey.peek() };
    } else if (found.is === "key" || agreed.peek()) {
      secret.value = { passphrase: given, hd: false };
    } else {
      error.value = found.is === "misspelt" ? found.why : "";
    }
  });
  if (secret.value) {
    return <NewPassword secret={secret.value} done={t("restore.restore")} back={() => (secret.value = null)} />;
  }
  const change = (given: string) => {
    text.value = given;
    error.value = "";
    reading.value = "mnemonic";
    agreed.value = false;
  };
  const agree = (
    <Check checked={agreed.value} onCheck={(checked) => (agreed.value = checked)}>
      {t("restore.asis")}
    </Check>
  );
  return (
    <>
      <Form onSubmit={() => void task.run()}>
        <Title text={t("first.restore")} />
        <Area label={t("restore.phrase")} rows={4} value={text.value} onText={change} error={error.value} hint={t("restore.hint")} autoFocus />
        {reading.value === "other" && (
          <>
            <p role="alert">
              <strong>{t("restore.notphrase")}</strong> {t(/^\s|\s$/.test(text.value) ? "restore.withspace" : "restore.letters")}
            </p>
            {agree}
          </>
        )}
        {reading.value === "misspelt" && (
          <details>
            <summary>{t("restore.anyway")}</summary>
            <p>{t("restore.anywayabout")}</p>
            {agree}
          </details>
        )}
        {reading.value === "mnemonic" && (
          <details>
            <summary>{t("restore.older")}</summary>
            <Check checked={oneKey.value} onCheck={(checked) => (oneKey.value = checked)}>
              {t("restore.onekey")}
            </Check>
          </details>
        )}
        <Fault error={task.error.value} />
        <div class="actions">
          <Button busy={task.busy.value} disabled={reading.value === "other" && !agreed.value}>
            {t("coins.continue")}
          </Button>
          <button type="button" class="secondary" onClick={back}>
            {t("back")}
          </button>
        </div>
      </Form>
      <ImportFile onSecret={(found) => (secret.value = found)} />
    </>
  );
}
