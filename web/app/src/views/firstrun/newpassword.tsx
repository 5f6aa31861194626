import { useSignal } from "@preact/signals";
import { createWallet, OtherWallet } from "../../session/session.ts";
import type { PageSecret } from "../../session/profile.ts";
import { Button } from "../../ui/button.tsx";
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
    } catch (error) {
      if (!(error instanceof OtherWallet)) {
        throw error;
      }
      other.value = true;
    }
  });
  return (
    <Form onSubmit={() => void task.run()}>
      <Title text="Choose a password" />
      <p>It unlocks the wallet in this browser. Nobody can recover it; your recovery phrase restores the wallet without it.</p>
      <NewPasswordField chosen={password} />
      {other.value && <Replace agreed={replace} />}
      <Fault error={task.error.value} />
      <div class="actions">
        <Button busy={task.busy.value} disabled={other.value && !replace.value}>
          {done}
        </Button>
        <button type="button" class="secondary" onClick={back}>
          Back
        </button>
      </div>
    </Form>
  );
}
