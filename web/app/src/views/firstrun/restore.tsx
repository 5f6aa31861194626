import { useSignal } from "@preact/signals";
import { t } from "../../language.ts";
import type { PageSecret } from "../../session/profile.ts";
import { Button } from "../../ui/button.tsx";
import { Fault } from "../../ui/fault.tsx";
import { Area } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { useTask } from "../../ui/task.ts";
import { Title } from "../../ui/title.tsx";
import { ImportFile } from "./importfile.tsx";
import { NewPassword } from "./newpassword.tsx";

interface Entry {
  onSecret: (secret: PageSecret) => void;
}

/** Restores a wallet from a recovery phrase or another secret. */
export default function Restore({ back }: { back: () => void }) {
  const secret = useSignal<PageSecret | null>(null);
  const take = (found: PageSecret) => (secret.value = found);
  if (secret.value) {
    return <NewPassword secret={secret.value} done={t("restore.restore")} back={() => (secret.value = null)} />;
  }
  return (
    <>
      <Words onSecret={take} back={back} />
      <OldWallet onSecret={take} />
      <ImportFile onSecret={take} />
    </>
  );
}

function Words({ onSecret, back }: Entry & { back: () => void }) {
  const [text, error] = [useSignal(""), useSignal("")];
  const task = useTask(async () => {
    const { read } = await import("../../mnemonic.ts");
    const found = read(text.peek());
    if (found.is === "mnemonic") {
      onSecret({ passphrase: found.words, hd: true });
    } else if (found.is === "key") {
      onSecret({ passphrase: found.key, hd: false });
    } else {
      error.value = found.is !== "other" ? found.why : t(text.peek().trim() === "" ? "restore.nothing" : "restore.invalid");
    }
  });
  return (
    <Form onSubmit={() => void task.run()}>
      <Title text={t("first.restore")} />
      <Area label={t("restore.phrase")} rows={4} value={text.value} onText={(given) => ([text.value, error.value] = [given, ""])} error={error.value} hint={t("restore.hint")} autoFocus />
      <Fault error={task.error.value} />
      <div class="actions">
        <Button busy={task.busy.value}>{t("coins.continue")}</Button>
        <button type="button" class="secondary" onClick={back}>
          {t("back")}
        </button>
      </div>
    </Form>
  );
}

/** The passphrase of an old Komodo wallet: any text, from which one key for all coins is derived. */
function OldWallet({ onSecret }: Entry) {
  const [text, error] = [useSignal(""), useSignal("")];
  const task = useTask(async () => {
    const { read } = await import("../../mnemonic.ts");
    const given = text.peek().replace(/^[\r\n]+|[\r\n]+$/g, "").replace(/ *[\r\n]+ */g, " ");
    const found = read(given);
    if (given.trim() === "") {
      error.value = t("restore.nopassphrase");
    } else if (found.is === "badkey") {
      error.value = found.why;
    } else if (found.is === "mnemonic") {
      onSecret({ passphrase: found.words, hd: false });
    } else {
      // 64 digits without 0x are a text, from which Komodo DeFi Framework derives another key.
      onSecret({ passphrase: found.is === "key" && !/^[0-9a-f]+$/i.test(given) ? found.key : given, hd: false });
    }
  });
  return (
    <details>
      <summary>{t("restore.old")}</summary>
      <p>{t("restore.oldabout")}</p>
      <p>{t("restore.letters")}</p>
      <Form onSubmit={() => void task.run()}>
        <Area label={t("restore.passphrase")} rows={3} value={text.value} onText={(given) => ([text.value, error.value] = [given, ""])} error={error.value} hint={/^ | $/.test(text.value) && t("restore.withspace")} />
        <Fault error={task.error.value} />
        <div class="actions">
          <Button busy={task.busy.value}>{t("restore.open")}</Button>
        </div>
      </Form>
    </details>
  );
}
