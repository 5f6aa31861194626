import { forgetExposed, profile } from "../session/session.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Button } from "../ui/button.tsx";
import { useTask } from "../ui/task.ts";
import { Fault } from "../ui/fault.tsx";

/** Tells once that an earlier version of the page left the secrets readable, and what to do. */
export default function Exposed() {
  const task = useTask(forgetExposed);
  const hasNative = profile.value?.native !== undefined;
  return (
    <Dialog title="Your wallet may have been readable" onClose={() => {}}>
      <p>Before this update, this page stored the key of an open wallet in this browser's files. Anyone who could read this device's disk, or a copy of it, could open the wallet without your password, even while it was locked.</p>
      <p>The page no longer stores such a key and has removed old ones as far as a page can. A disk or a backup may still have them.</p>
      <p>
        <strong>If somebody else could read this device or its backups</strong> (another person, a program, a repair shop), create a new wallet with new words and send everything you have to it. A new password does not help.
        {hasNative && " Change the rpc_password of your node, too."}
      </p>
      <p>If nobody else could, no action is needed.</p>
      <Fault error={task.error.value} />
      <div class="actions">
        <Button type="button" busy={task.busy.value} onClick={() => void task.run()}>
          I have read this
        </Button>
      </div>
    </Dialog>
  );
}
