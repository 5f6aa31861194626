import { useSignal } from "@preact/signals";
import { rpc } from "../../node.ts";
import { Button } from "../../ui/button.tsx";
import { Fault } from "../../ui/fault.tsx";
import { Field } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { useTask } from "../../ui/task.ts";
import { connectFault, NO_ADDRESS } from "./faults.ts";
import { useField } from "./field.ts";
import type { Peer } from "./peers.ts";

/** Connects to a node by its address. */
export function Connect({ coin, peers, changed }: { coin: string; peers: readonly Peer[]; changed: () => void }) {
  const { text, wrong, form, refuse } = useField();
  const outcome = useSignal({ id: "", said: "" });
  const stays = peers.some(({ id, state }) => id === outcome.value.id && state === "connected");
  const task = useTask(async () => {
    const address = text.peek().trim();
    wrong.value = "";
    outcome.value = { id: "", said: "" };
    if (address === "") {
      refuse(NO_ADDRESS);
      return;
    }
    const soon = setTimeout(changed, 200); // the peer is listed as connecting
    try {
      const said = await rpc("lightning::nodes::connect_to_node", { coin, node_address: address });
      const [id = ""] = address.toLowerCase().split("@");
      outcome.value = { id, said: said.startsWith("Already") ? "It is already connected." : "Connected. Your node reconnects if the connection breaks, until you disconnect." };
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
      <h2 id="lightning-connect">Connect to a node</h2>
      <Form onSubmit={() => void task.run()}>
        <Field label="Address of the node" hint="Public key, @, host:port. The port is usually 9735." value={text.value} onText={(now) => (text.value = now)} error={wrong.value} required />
        <Fault error={task.error.value} />
        <div class="actions">
          <Button busy={task.busy.value}>Connect</Button>
        </div>
        <p class="outcome" role="status">
          {task.busy.value ? "Connecting. This times out after 10 seconds." : stays && outcome.value.said}
        </p>
      </Form>
    </section>
  );
}
