import { useSignal } from "@preact/signals";
import { activateTokens } from "../../coins/activation.ts";
import { tokens as allTokens } from "../../coins/catalog.ts";
import { holdings } from "../../coins/holdings.ts";
import { Button } from "../../ui/button.tsx";
import { Fault } from "../../ui/fault.tsx";
import { Form } from "../../ui/form.tsx";
import { useTask } from "../../ui/task.ts";
import { Tokens } from "./form.tsx";

/** Tokens to add to a coin that is active. */
export function TokensForm({ ticker }: { ticker: string }) {
  const chosen = useSignal<readonly string[]>([]);
  const active = (holdings.value ?? []).map((holding) => holding.ticker);
  const left = allTokens.filter((token) => token.platform === ticker && !active.includes(token.ticker));
  const task = useTask(async () => {
    await activateTokens(ticker, [...chosen.peek()]);
    chosen.value = [];
  });
  const toggle = (token: string, on: boolean) => (chosen.value = on ? [...chosen.value, token] : chosen.value.filter((one) => one !== token));
  if (left.length === 0) {
    return <p>{ticker} is active, with all its tokens.</p>;
  }
  return (
    <Form onSubmit={() => void (chosen.value.length > 0 && task.run())}>
      <p>{ticker} is active. Its tokens are activated with its servers.</p>
      <Fault error={task.error.value} />
      <Tokens platform={ticker} chosen={chosen.value} onToggle={toggle} without={active} />
      <div class="actions">
        <Button busy={task.busy.value} disabled={chosen.value.length === 0}>
          Activate {chosen.value.length === 0 ? "tokens" : chosen.value.join(", ")}
        </Button>
      </div>
    </Form>
  );
}
