import { useSignal } from "@preact/signals";
import { createWallet } from "../session/session.ts";
import { Button } from "../ui/button.tsx";
import { Fault } from "../ui/fault.tsx";
import { Area, Field, User } from "../ui/field.tsx";
import { useTask } from "../ui/task.ts";
import { Title } from "../ui/title.tsx";

/** The first visit. */
export default function FirstRun() {
  const passphrase = useSignal("");
  const password = useSignal("");
  const task = useTask(async () => {
    const secret = { passphrase: passphrase.peek().trim(), hd: false };
    await createWallet(secret, password.peek());
  });
  const submit = (event: Event) => {
    event.preventDefault();
    void task.run();
  };
  return (
    <form onSubmit={submit}>
      <Title text="Restore a wallet" />
      <Area label="Words or passphrase" rows={3} value={passphrase.value} onText={(text) => (passphrase.value = text)} required />
      <User />
      <Field label="New password" type="password" autoComplete="new-password" value={password.value} onText={(text) => (password.value = text)} required />
      <Fault error={task.error.value} />
      <Button busy={task.busy.value}>Restore</Button>
    </form>
  );
}
