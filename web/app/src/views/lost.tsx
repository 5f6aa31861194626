import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { t } from "../language.ts";
import { giveUp, missing } from "../session/lost.ts";
import { storeLost } from "../session/session.ts";
import { Button } from "../ui/button.tsx";
import { Check } from "../ui/check.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Fault } from "../ui/fault.tsx";
import { useTask } from "../ui/task.ts";
import { nameOf } from "./wallets/sign.tsx";

/** A warning that the browser has deleted the records of the wallet, such as with the data of all sites. It comes back until the user has decided. */
export default function Lost() {
  const sure = useSignal(false);
  const closed = useSignal(false);
  const task = useTask((act: () => Promise<void>) => act());
  useEffect(() => void (document.onvisibilitychange = () => (closed.value = false)), []);
  return closed.value ? null : (
    <Dialog title={t("lost.title")} onClose={() => (closed.value = true)}>
      <p>{t("lost.here")}</p>
      <p>{t("lost.todo")}</p>
      <Fault error={task.error.value} />
      <div class="actions">
        <Button type="button" busy={task.busy.value} onClick={() => void task.run(storeLost)}>
          {t("lost.again")}
        </Button>
      </div>
      <details class="removal">
        <summary>{t("wallets.remove")}</summary>
        <p>{missing.value.map(nameOf).join(", ")}</p>
        <Check checked={sure.value} onCheck={(checked) => (sure.value = checked)}>
          {t("wallets.haswords")}
        </Check>
        <Button type="button" class="danger" busy={task.busy.value} disabled={!sure.value} onClick={() => void task.run(giveUp)}>
          {t("wallets.remove")}
        </Button>
      </details>
    </Dialog>
  );
}
