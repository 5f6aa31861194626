import { changes, disconnect, sites } from "../../dapps/sites.ts";
import { Button } from "../../ui/button.tsx";
import { Fault } from "../../ui/fault.tsx";
import { useLoad, useTask } from "../../ui/task.ts";

/** The sites that may see accounts, until the wallet is locked. */
export function Sites() {
  const { value, error } = useLoad(sites, [changes.value]);
  const task = useTask(disconnect);
  return (
    <section class="settings">
      <h2>Connected sites</h2>
      {value.value?.length === 0 && <p>No site is connected.</p>}
      <ul class="sites">
        {value.value?.map(({ origin, accounts }) => (
          <li key={origin}>
            <strong translate={false}>{origin}</strong>
            <small>{accounts.map(({ coin }) => coin).join(", ")}</small>
            <Button type="button" class="quiet" busy={task.busy.value} onClick={() => void task.run(origin)} aria-label={`Disconnect ${origin}`}>
              Disconnect
            </Button>
          </li>
        ))}
      </ul>
      <Fault error={error.value ?? task.error.value} />
    </section>
  );
}
