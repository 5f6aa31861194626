import { t } from "../../language.ts";
import { changes, disconnect, sites } from "../../dapps/sites.ts";
import { Button } from "../../ui/button.tsx";
import { Fault } from "../../ui/fault.tsx";
import { useLoad, useTask } from "../../ui/task.ts";

/** The sites that may see accounts until the wallet is locked. */
export function Sites() {
  const { value, error } = useLoad(sites, [changes.value]);
  const task = useTask(disconnect);
  return (
    <section class="settings">
      <h2>{t("sites.title")}</h2>
      {value.value?.length === 0 && <p>{t("sites.none")}</p>}
      <ul class="sites">
        {value.value?.map(({ origin, accounts }) => (
          <li key={origin}>
            <strong translate={false}>{origin}</strong>
            <small>{accounts.map(({ coin }) => coin).join(", ")}</small>
            <Button type="button" class="quiet" busy={task.busy.value} onClick={() => void task.run(origin)} aria-label={t("sites.disconnectone", { name: origin })}>
              {t("sites.disconnect")}
            </Button>
          </li>
        ))}
      </ul>
      <Fault error={error.value ?? task.error.value} />
    </section>
  );
}
