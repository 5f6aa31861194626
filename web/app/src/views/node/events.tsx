import { useSignal } from "@preact/signals";
import { t } from "../../language.ts";
import { Check } from "../../ui/check.tsx";
import { Fault } from "../../ui/fault.tsx";
import { Field } from "../../ui/field.tsx";
import { useTask } from "../../ui/task.ts";
import { At, LiveList } from "./live.tsx";
import { choose, enabled, seen, type Choice } from "./streams.ts";

/** The events of the node. */
export function Events({ offered }: { offered: Choice[] }) {
  return (
    <section>
      <h2>{t("nodes.events")}</h2>
      <p>{t("nodes.eventsabout")}</p>
      <fieldset class="column">
        <legend class="unseen">{t("nodes.streams")}</legend>
        {offered.map((choice) => <Stream key={choice.key} choice={choice} />)}
      </fieldset>
      <LiveList
        label={t("nodes.events")}
        entries={seen}
        text={({ type, message }) => `${type} ${message}`}
        row={({ at, type, message }) => (
          <>
            <At at={at} /> <strong class={type.startsWith("ERROR") ? "bad" : ""}>{type}</strong> <code>{message}</code>
          </>
        )}
        empty={t("nodes.noevents")}
        clear={() => (seen.value = [])}
      />
    </section>
  );
}

function Stream({ choice }: { choice: Choice }) {
  const seconds = useSignal(String(choice.seconds ?? ""));
  const wrong = useSignal("");
  const asked = useSignal(false); // the requested state, while the node applies it
  const task = useTask(async (wanted: boolean) => {
    asked.value = wanted;
    const interval = Number(seconds.peek());
    wrong.value = wanted && choice.seconds !== undefined && !(interval >= 0.1 && interval <= 3600) ? t("nodes.badseconds") : "";
    if (wrong.peek() === "") {
      await choose(choice, choice.seconds === undefined ? undefined : interval, wanted);
    }
  });
  const has = enabled.value.has(choice.key);
  const on = task.busy.value ? asked.value : has;
  return (
    <div class="stream">
      <Check checked={on} onCheck={(wanted) => void task.run(wanted)}>
        {choice.label}
      </Check>
      {choice.seconds !== undefined && <Field label={t("nodes.seconds", { choice: choice.label })} inputMode="decimal" value={seconds.value} onText={(now) => (seconds.value = now)} error={wrong.value} disabled={on} />}
      <Fault error={task.error.value} />
    </div>
  );
}
