import { useSignal } from "@preact/signals";
import { profile } from "../../session/session.ts";
import { walletsOf, wipe } from "../../session/wallets.ts";
import { Button } from "../../ui/button.tsx";
import { Check } from "../../ui/check.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Fault } from "../../ui/fault.tsx";
import { useTask } from "../../ui/task.ts";

/** Deletes all that this page has in this browser. */
export function Wipe() {
  const asking = useSignal(false);
  const sure = useSignal(false);
  const task = useTask(wipe);
  const hasWords = walletsOf(profile.value).some(({ kind }) => kind === "passphrase");
  const close = () => {
    asking.value = sure.value = false;
  };
  return (
    <section class="settings">
      <h2>Delete</h2>
      <p>Deletes all wallets, the node's data and these settings from this browser, in all tabs. A native node is not affected.</p>
      <button type="button" class="secondary" onClick={() => (asking.value = true)}>
        Delete everything here
      </button>
      {asking.value && (
        <Dialog title="Delete everything here?" onClose={close}>
          <p>{hasWords ? "Without the recovery phrase, the wallet and its contents are lost forever. Tokens on the chain in this page are lost in any case unless you exported the data." : "The data of the node in this page is lost unless you exported it."}</p>
          <Check checked={sure.value} onCheck={(checked) => (sure.value = checked)}>
            {hasWords ? "I have my recovery phrase and want to delete everything here" : "I want to delete everything here"}
          </Check>
          <Fault error={task.error.value} />
          <div class="actions">
            <Button type="button" class="danger" busy={task.busy.value} disabled={!sure.value} onClick={() => void task.run()}>
              Delete
            </Button>
            <button type="button" class="secondary" onClick={close}>
              Cancel
            </button>
          </div>
        </Dialog>
      )}
    </section>
  );
}
