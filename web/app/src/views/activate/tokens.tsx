import { useSignal } from "@preact/signals";
import { activateTokens } from "../../coins/activation.ts";
import { tokens as allTokens } from "../../coins/catalog.ts";
import { familyOf } from "../../coins/family.ts";
import { holdings } from "../../coins/holdings.ts";
import { creationFault } from "../../coins/reasons.ts";
import { t } from "../../language.ts";
import { Button } from "../../ui/button.tsx";
import { Fault } from "../../ui/fault.tsx";
import { Form } from "../../ui/form.tsx";
import { useTask } from "../../ui/task.ts";
import { Said } from "../../words.ts";
import { LeftOut } from "./serverlist.tsx";
import { tickersIn, TokenList } from "./tokenlist.tsx";

/** A form that adds tokens to an active coin. */
export function TokensForm({ ticker }: { ticker: string }) {
  const ticked = useSignal<readonly string[]>([]);
  const typed = useSignal("");
  const family = familyOf(ticker);
  const active = (holdings.value ?? []).map((holding) => holding.ticker);
  const left = allTokens.filter((token) => token.platform === ticker && !active.includes(token.ticker));
  const chosen = [...new Set([...ticked.value, ...tickersIn(typed.value)])];
  const going = useSignal<readonly string[]>([]);
  const task = useTask(async () => {
    const before = typed.peek();
    going.value = chosen;
    await activateTokens(ticker, chosen);
    // What was selected in the meantime stays.
    ticked.value = ticked.peek().filter((token) => !chosen.includes(token));
    typed.value = typed.peek() === before ? "" : typed.peek();
  });
  const toggle = (token: string, on: boolean) => (ticked.value = on ? [...ticked.value, token] : ticked.value.filter((one) => one !== token));
  if (left.length === 0 && family === "cosmos") {
    return (
      <>
        <p>{t("activate.allactive", { ticker })}</p>
        <LeftOut ticker={ticker} />
      </>
    );
  }
  const error = task.error.value;
  const named = task.busy.value ? going.value : chosen;
  const wrong = creationFault(error);
  return (
    <Form onSubmit={() => void (chosen.length > 0 && task.run())}>
      <p>{t("activate.withservers", { ticker })}</p>
      <LeftOut ticker={ticker} />
      <Fault error={wrong === null ? error : new Said(wrong, "", error)} />
      <TokenList platform={ticker} family={family} chosen={ticked.value} onToggle={toggle} without={active} typed={typed.value} onTyped={(text) => (typed.value = text)} />
      <div class="actions">
        <Button busy={task.busy.value} disabled={chosen.length === 0}>
          {named.length === 0 ? t("activate.activatetokens") : t("activate.activate", { ticker: named.join(", ") })}
        </Button>
      </div>
    </Form>
  );
}
