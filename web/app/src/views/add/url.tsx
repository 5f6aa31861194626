import type { Network } from "../../coins/directory.ts";
import { refresh } from "../../coins/holdings.ts";
import { activateNetwork, settingsFor } from "../../coins/usual.ts";
import { t } from "../../language.ts";
import { rpc } from "../../node.ts";
import { go } from "../../route.ts";
import { Button } from "../../ui/button.tsx";
import { Fault } from "../../ui/fault.tsx";
import { Form } from "../../ui/form.tsx";
import { Progress } from "../../ui/progress.tsx";
import { useLoad, useTask } from "../../ui/task.ts";

interface Tested {
  nodes: { ok: boolean; chain_id?: string; reason?: string }[];
}

/** A form that adds a network by one of its servers, which is then preferred over the public ones. */
export function ByUrl({ url, networks }: { url: string; networks: readonly Network[] }) {
  const test = useLoad(async () => ((await (rpc as (method: string, params: object) => Promise<unknown>)("test_coin_nodes", { nodes: [{ url }] })) as Tested).nodes[0]);
  const found = test.value.value;
  const network = networks.find(({ chain_id }) => chain_id === found?.chain_id);
  const task = useTask(async () => {
    if (network) {
      await activateNetwork(network, [], settingsFor(network, [url]));
      await refresh();
      go("coin", [network.coin]);
    }
  });
  if (!found) {
    return test.error.value ? <Fault error={test.error.value} retry={test.reload} /> : <Progress label={t("add.asking")} />;
  }
  return (
    <Form onSubmit={() => void task.run()}>
      <p class="note">{network ? t("add.server", { network: network.network }) : found.ok ? t("add.unknownchain", { chain: found.chain_id ?? "?" }) : t("add.noserver", { reason: found.reason ?? "" })}</p>
      <Fault error={task.error.value} />
      {network && (
        <div class="actions">
          <Button busy={task.busy.value}>{t("add.one", { coin: network.network })}</Button>
        </div>
      )}
    </Form>
  );
}
