import { t } from "../../language.ts";
import { useExternal } from "../../session/wallets.ts";
import { Button } from "../../ui/button.tsx";
import { Fault } from "../../ui/fault.tsx";
import { Form } from "../../ui/form.tsx";
import { useTask } from "../../ui/task.ts";
import { Title } from "../../ui/title.tsx";

/** The node in this page has no keys: another wallet of the browser has them. */
export default function External({ back }: { back: () => void }) {
  const task = useTask(() => useExternal(t("wallets.external")));
  return (
    <Form onSubmit={() => void task.run()}>
      <Title text="Use an external wallet" />
      <p>Your keys stay in a browser extension such as Keplr or MetaMask, which asks you before it signs. This page stores no secret and needs no password.</p>
      <p>You connect it when you activate a coin. Coins of Cosmos chains can be used with Keplr this way, and those of EVM networks with MetaMask or another one; tokens on the chain in this page need a wallet with keys here.</p>
      <Fault error={task.error.value} />
      <div class="actions">
        <Button busy={task.busy.value}>Continue</Button>
        <button type="button" class="secondary" onClick={back}>
          Back
        </button>
      </div>
    </Form>
  );
}
