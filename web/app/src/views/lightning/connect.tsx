import { useSignal } from "@preact/signals";
import { rpc } from "../../node.ts";
import { Button } from "../../ui/button.tsx";
import { Fault } from "../../ui/fault.tsx";
import { Field } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { useTask } from "../../ui/task.ts";
import { connectFault, NO_ADDRESS } from "./faults.ts";
import { useField } from "./field.ts";

/** Connects to a node by its address. */
export function Connect({ coin, changed }: { coin: string; changed: () => void }) {
  const { text, wrong, form, refuse } = useField();
  const outcome = useSignal("");
  const task = useTask(async () => {
    const address = text.peek().trim();
    wrong.value = outcome.value = "";
    if (address === "") {
      refuse(NO_ADDRESS);
      return;
    }
    const soon = setTimeout(changed, 200); // the peer is listed as connecting
    try {
      const said = await rpc("lightning::nodes::connect_to_node", { coin, node_address: address });
      outcome.value = said.startsWith("Already") ? "It was connected already, and stays so." : "Connected. The connection is made anew when it breaks, until you end it.";
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
        <Field label="Address of the node" hint="Its public key, @, and host:port. The port is 9735, mostly." value={text.value} onText={(now) => (text.value = now)} error={wrong.value} required />
        <Fault error={task.error.value} />
        <div class="actions">
          <Button busy={task.busy.value}>Connect</Button>
        </div>
        <p class="outcome" role="status">
          {task.busy.value ? "Connecting. It gives up after 10 seconds." : outcome.value}
        </p>
      </Form>
    </section>
  );
}
