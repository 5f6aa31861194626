import { useComputed, useSignal } from "@preact/signals";
import { logLines } from "../../log.ts";
import { connection } from "../../node.ts";
import { Choice } from "../../ui/field.tsx";
import { At, LiveList } from "./live.tsx";

const levels = ["error", "warn", "info", "debug"] as const;
type Level = (typeof levels)[number];

const words: Record<Level, string> = { error: "Errors", warn: "Warnings and errors", info: "Without debug details", debug: "All" };

/** What the node in this page logs. */
export function NodeLog() {
  return (
    <section>
      <h2>Log</h2>
      {connection.value?.kind === "native" ? <p>A native node writes its log where it was started.</p> : <Lines />}
    </section>
  );
}

function Lines() {
  const level = useSignal<Level>("info");
  const lines = useComputed(() => logLines.value.filter((line) => levels.indexOf(line.level) <= levels.indexOf(level.value)));
  return (
    <>
      {connection.value?.page?.status().role === "client" && <p>Another tab runs the node, and has its log.</p>}
      <Choice label="Lines" value={level.value} onText={(text) => (level.value = text as Level)}>
        {levels.map((one) => (
          <option key={one} value={one}>
            {words[one]}
          </option>
        ))}
      </Choice>
      <LiveList
        label="Log of the node"
        entries={lines}
        text={({ level: is, text }) => `${is} ${text}`}
        row={({ at, level: is, text }) => (
          <>
            <At at={at} /> <strong class={is === "error" ? "bad" : ""}>{is}</strong> <code>{text}</code>
          </>
        )}
        empty="Nothing was logged."
        clear={() => (logLines.value = [])}
      />
    </>
  );
}
