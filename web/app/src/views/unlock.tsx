import { useSignal } from "@preact/signals";
import { lockedBy, profile, unlockPage, useNative, WrongPassword } from "../session/session.ts";
import { Button } from "../ui/button.tsx";
import { Fault } from "../ui/fault.tsx";
import { Field, User } from "../ui/field.tsx";
import { useTask } from "../ui/task.ts";
import { Title } from "../ui/title.tsx";

const why = { you: "", idle: "Locked because nobody was here.", tab: "Locked in another tab." };

/** Asks for what opens the wallet. */
export default function Unlock() {
  const now = profile.value;
  const password = useSignal("");
  const wrong = useSignal("");
  const task = useTask(async () => {
    const given = password.peek();
    password.value = "";
    wrong.value = "";
    try {
      await (now?.use === "native" && now.native ? useNative(now.native, { password: given }) : unlockPage(given));
    } catch (error) {
      if (!(error instanceof WrongPassword)) {
        throw error;
      }
      wrong.value = "This password is wrong.";
    }
  });
  const submit = (event: Event) => {
    event.preventDefault();
    void task.run();
  };
  return (
    <form onSubmit={submit}>
      <Title text="Unlock" />
      {lockedBy.value && <p>{why[lockedBy.value]}</p>}
      <User />
      <Field label={now?.use === "native" ? "rpc_password of the node" : "Password"} type="password" autoComplete="current-password" value={password.value} onText={(text) => (password.value = text)} error={wrong.value} autoFocus required />
      <Fault error={task.error.value} />
      <Button busy={task.busy.value}>Unlock</Button>
    </form>
  );
}
