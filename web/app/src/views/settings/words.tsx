import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { reveal, WrongPassword } from "../../session/session.ts";
import { Button } from "../../ui/button.tsx";
import { Fault } from "../../ui/fault.tsx";
import { Form } from "../../ui/form.tsx";
import { Password } from "../../ui/password.tsx";
import { useTask } from "../../ui/task.ts";
import { wrongPassword } from "./wrong.ts";

const SHOWN = 60_000; // ms

/** Shows the words or the passphrase for a minute, to who knows the password. */
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
  return (
    <section class="settings">
      <h2>Backup</h2>
      <details>
        <summary>Show recovery phrase</summary>
        {secret.value ? (
          <>
            <p>Anyone who sees them can take your coins. They are hidden after one minute.</p>
            <p class="secret" translate={false}>
              {secret.value}
            </p>
            <button type="button" class="secondary" onClick={() => (secret.value = "")}>
              Hide them
            </button>
          </>
        ) : (
          <Form onSubmit={() => void task.run()}>
            <p>Make sure nobody else can see your screen.</p>
            <Password label="Password" text={password} error={wrong.value} />
            <Fault error={task.error.value} />
            <div class="actions">
              <Button busy={task.busy.value}>Show</Button>
            </div>
          </Form>
        )}
      </details>
    </section>
  );
}
