import { useSignal } from "@preact/signals";
import { createWallet, OtherWallet } from "../../session/session.ts";
import type { PageSecret } from "../../session/profile.ts";
import { t } from "../../language.ts";
import { publicServers } from "../../privacy.ts";
import { Button } from "../../ui/button.tsx";
import { Check } from "../../ui/check.tsx";
import { Fault } from "../../ui/fault.tsx";
import { Form } from "../../ui/form.tsx";
import { NewPassword as NewPasswordField, useNewPassword } from "../../ui/newpassword.tsx";
import { useTask } from "../../ui/task.ts";
import { Title } from "../../ui/title.tsx";
import { Replace } from "./replace.tsx";

/**
 * The last step of a wallet with a passphrase: the password that opens it here.
 */
export function NewPassword({ secret, done, back }: { secret: PageSecret; done: string; back: () => void }) {
  const password = useNewPassword();
  const other = useSignal(false);
  const replace = useSignal(false);
  const task = useTask(async () => {
    if (!(await password.check()) || (other.peek() && !replace.peek())) {
      return;
    }
    try {
      await createWallet(secret, password.text.peek(), replace.peek());
      if (publicServers.peek()) {
        (await import("../../coins/usual.ts")).wantUsual();
      }
    } catch (error) {
      if (!(error instanceof OtherWallet)) {
        throw error;
      }
      other.value = true;
    }
  });
  return (
    <Form onSubmit={() => void task.run()}>
      <Title text={t("first.password")} />
      <p>{t("first.passwordabout")}</p>
      <NewPasswordField chosen={password} />
      <Check checked={publicServers.get()} onCheck={publicServers.set}>
        {t("first.servers")} <small>{t("first.serversabout")}</small>
      </Check>
      {other.value && <Replace agreed={replace} />}
      <Fault error={task.error.value} />
      <div class="actions">
        <Button busy={task.busy.value} disabled={other.value && !replace.value}>
          {done}
        </Button>
        <button type="button" class="secondary" onClick={back}>
          {t("back")}
        </button>
      </div>
    </Form>
  );
}
