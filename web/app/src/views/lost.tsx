import { t } from "../language.ts";
import { lost, storeAgain } from "../session/session.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Fault } from "../ui/fault.tsx";
import { useTask } from "../ui/task.ts";

/** A warning that the browser has deleted the records of the wallet, such as with the data of all sites. */
export default function Lost() {
  const task = useTask(storeAgain);
  return (
    <Dialog title={t("lost.title")} onClose={() => (lost.value = false)}>
      <p>{t("lost.here")}</p>
      <p>{t("lost.todo")}</p>
      <Fault error={task.error.value} />
      <div class="actions">
        <Button type="button" busy={task.busy.value} onClick={() => void task.run()}>
          {t("lost.again")}
        </Button>
      </div>
    </Dialog>
  );
}
