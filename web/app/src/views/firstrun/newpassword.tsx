import { useSignal } from "@preact/signals";
import { profile } from "../../session/session.ts";
import { normalPassword } from "../../session/crypto.ts";
import { createWallet, walletsOf } from "../../session/wallets.ts";
import type { PageSecret } from "../../session/profile.ts";
import { t } from "../../language.ts";
import { publicServers } from "../../privacy.ts";
import { Button } from "../../ui/button.tsx";
import { Check } from "../../ui/check.tsx";
import { Fault } from "../../ui/fault.tsx";
import { Form } from "../../ui/form.tsx";
import { focusWrong } from "../../ui/focus.ts";
import { NewPassword as NewPasswordField, useNewPassword } from "../../ui/newpassword.tsx";
import { Password } from "../../ui/password.tsx";
import { useTask } from "../../ui/task.ts";
import { Title } from "../../ui/title.tsx";

/**
 * The last step of creating a wallet with a passphrase: its password.
 * @param unsaved the user writes the recovery phrase down later and is reminded of that: until then only the password opens the wallet, so it has to be entered twice
 */
export function NewPassword({ secret, done, back, unsaved = false }: { secret: PageSecret; done: string; back: () => void; unsaved?: boolean }) {
  const password = useNewPassword();
  const [repeated, differs] = [useSignal(""), useSignal(false)];
  const task = useTask(async () => {
    if (!(await password.check())) {
      return;
    }
    differs.value = unsaved && normalPassword(repeated.peek()) !== normalPassword(password.text.peek());
    if (differs.peek()) {
      focusWrong();
      return;
    }
    await createWallet(secret, password.text.peek(), t("wallets.number", { number: walletsOf(profile.peek()).length + 1 }), unsaved);
    if (publicServers.peek()) {
      (await import("../../coins/usual.ts")).wantUsual();
    }
  });
  return (
    <Form onSubmit={() => void task.run()}>
      <Title text={t("first.password")} />
      <p>{t("first.passwordabout")}</p>
      <NewPasswordField chosen={password} />
      {unsaved && <Password label={t("password.repeat")} text={repeated} error={differs.value ? t("password.differs") : ""} isNew user={null} />}
      <Check checked={publicServers.get()} onCheck={publicServers.set}>
        {t("first.servers")} <small>{t("first.serversabout")}</small>
      </Check>
      <Fault error={task.error.value} />
      <div class="actions">
        <Button busy={task.busy.value}>{done}</Button>
        <button type="button" class="secondary" onClick={back}>
          {t("back")}
        </button>
      </div>
    </Form>
  );
}
