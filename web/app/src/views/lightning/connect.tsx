import { useSignal } from "@preact/signals";
import { t } from "../../language.ts";
import { rpc } from "../../node.ts";
import { Button } from "../../ui/button.tsx";
import { Fault } from "../../ui/fault.tsx";
import { Field } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { useTask } from "../../ui/task.ts";
import { connectFault } from "./faults.ts";
import { useField } from "./field.ts";
import type { Peer } from "./peers.ts";

/** A form that connects to a node by its address. */
export function Connect({ coin, peers, changed }: { coin: string; peers: readonly Peer[]; changed: () => void }) {
  const { text, wrong, form, refuse } = useField();
  const outcome = useSignal({ id: "", said: "" });
  const stays = peers.some(({ id, state }) => id === outcome.value.id && state === "connected");
  const task = useTask(async () => {
    const address = text.peek().trim();
    wrong.value = "";
    outcome.value = { id: "", said: "" };
    if (address === "") {
      refuse(t("lightning.example"));
      return;
    }
    const soon = setTimeout(changed, 200); // the peer is listed as connecting
    try {
      const said = await rpc("lightning::nodes::connect_to_node", { coin, node_address: address });
      const [id = ""] = address.toLowerCase().split("@");
      outcome.value = { id, said: said.startsWith("Already") ? t("lightning.already") : t("lightning.connected") };
      text.value = "";
    } catch (error) {
      const fault = connectFault(error);
      if (fault === null) {
        throw error;
      }
      refuse(fault);
    } finally {
      clearTimeout(soon);
      changed();
    }
  });
  return (
    <section ref={form} aria-labelledby="lightning-connect">
      <h2 id="lightning-connect">{t("lightning.connectto")}</h2>
      <Form onSubmit={() => void task.run()}>
        <Field label={t("lightning.address")} hint={t("lightning.addresshint")} value={text.value} onText={(now) => (text.value = now)} error={wrong.value} required />
        <Fault error={task.error.value} />
        <div class="actions">
          <Button busy={task.busy.value}>{t("lightning.connect")}</Button>
        </div>
        <p class="outcome" role="status">
          {task.busy.value ? t("lightning.connecting") : stays && outcome.value.said}
        </p>
      </Form>
    </section>
  );
}
