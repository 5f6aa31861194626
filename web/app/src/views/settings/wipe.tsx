import { useSignal } from "@preact/signals";
import { t } from "../../language.ts";
import { profile } from "../../session/session.ts";
import { walletsOf, wipe } from "../../session/wallets.ts";
import { Button } from "../../ui/button.tsx";
import { Check } from "../../ui/check.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Fault } from "../../ui/fault.tsx";
import { useTask } from "../../ui/task.ts";

/** Deletes all data of this page in this browser. */
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
      <h2>{t("wipe.delete")}</h2>
      <p>{t("wipe.about")}</p>
      <button type="button" class="secondary" onClick={() => (asking.value = true)}>
        {t("wipe.all")}
      </button>
      {asking.value && (
        <Dialog title={t("wipe.ask")} onClose={close}>
          <p>{t(hasWords ? "wipe.withwords" : "wipe.nowords")}</p>
          <Check checked={sure.value} onCheck={(checked) => (sure.value = checked)}>
            {t(hasWords ? "wipe.surewords" : "wipe.sure")}
          </Check>
          <Fault error={task.error.value} />
          <div class="actions">
            <Button type="button" class="danger" busy={task.busy.value} disabled={!sure.value} onClick={() => void task.run()}>
              {t("wipe.delete")}
            </Button>
            <button type="button" class="secondary" onClick={close}>
              {t("cancel")}
            </button>
          </div>
        </Dialog>
      )}
    </section>
  );
}
