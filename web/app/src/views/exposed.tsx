import { t } from "../language.ts";
import { EXPOSED, remove } from "../session/db.ts";
import { exposed, profile } from "../session/session.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Button } from "../ui/button.tsx";
import { useTask } from "../ui/task.ts";
import { Fault } from "../ui/fault.tsx";
import { rich } from "../ui/rich.tsx";

/** A one-time notice that an earlier version of the page left the secrets readable, and what to do. */
export default function Exposed() {
  const task = useTask(async () => {
    exposed.value = false;
    await remove(EXPOSED);
  });
  const hasNative = profile.value?.native !== undefined;
  return (
    <Dialog title={t("exposed.title")} onClose={() => {}}>
      <p>{t("exposed.before")}</p>
      <p>{t("exposed.now")}</p>
      <p>
        {rich("exposed.todo", { others: <strong>{t("exposed.others")}</strong> })} {hasNative && t("exposed.native")}
      </p>
      <p>{t("exposed.else")}</p>
      <Fault error={task.error.value} />
      <div class="actions">
        <Button type="button" busy={task.busy.value} onClick={() => void task.run()}>
          {t("exposed.read")}
        </Button>
      </div>
    </Dialog>
  );
}
