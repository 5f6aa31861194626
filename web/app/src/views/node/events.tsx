import { useSignal } from "@preact/signals";
import { Check } from "../../ui/check.tsx";
import { Fault } from "../../ui/fault.tsx";
import { Field } from "../../ui/field.tsx";
import { useTask } from "../../ui/task.ts";
import { At, LiveList } from "./live.tsx";
import { choose, enabled, seen, type Choice } from "./streams.ts";

/** What the node tells by itself. */
export function Events({ offered }: { offered: Choice[] }) {
  return (
    <section>
      <h2>Events</h2>
      <p>The newest 500 events are kept while the wallet is open.</p>
      <fieldset class="column">
        <legend class="unseen">Streams</legend>
        {offered.map((choice) => <Stream key={choice.key} choice={choice} />)}
      </fieldset>
      <LiveList
        label="Events"
        entries={seen}
        text={({ type, message }) => `${type} ${message}`}
        row={({ at, type, message }) => (
          <>
            <At at={at} /> <strong class={type.startsWith("ERROR") ? "bad" : ""}>{type}</strong> <code>{message}</code>
          </>
        )}
        empty="No events yet. Choose a stream."
        clear={() => (seen.value = [])}
      />
    </section>
  );
}

function Stream({ choice }: { choice: Choice }) {
  const seconds = useSignal(String(choice.seconds ?? ""));
  const wrong = useSignal("");
  const asked = useSignal(false); // what it is to be, while the node is at it
  const task = useTask(async (wanted: boolean) => {
    asked.value = wanted;
    const interval = Number(seconds.peek());
    wrong.value = wanted && choice.seconds !== undefined && !(interval >= 0.1 && interval <= 3600) ? "Enter 0.1 to 3600 seconds." : "";
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
      {choice.seconds !== undefined && <Field label={`Seconds between two ${choice.label.toLowerCase()}`} inputMode="decimal" value={seconds.value} onText={(now) => (seconds.value = now)} error={wrong.value} disabled={on} />}
      <Fault error={task.error.value} />
    </div>
  );
}
