import { useComputed, useSignal } from "@preact/signals";
import { t, type Text } from "../../language.ts";
import { logLines } from "../../log.ts";
import { connection } from "../../node.ts";
import { Choice } from "../../ui/field.tsx";
import { At, LiveList } from "./live.tsx";

const levels = ["error", "warn", "info", "debug"] as const;
type Level = (typeof levels)[number];

const words: Record<Level, Text> = { error: "nodes.logerrors", warn: "nodes.logwarnings", info: "nodes.loginfo", debug: "nodes.logall" };

/** The log of the node in this page. */
export function NodeLog() {
  return (
    <section>
      <h2>{t("nodes.log")}</h2>
      {connection.value?.kind === "native" ? <p>{t("nodes.lognative")}</p> : <Lines />}
    </section>
  );
}

function Lines() {
  const level = useSignal<Level>("info");
  const lines = useComputed(() => logLines.value.filter((line) => levels.indexOf(line.level) <= levels.indexOf(level.value)));
  return (
    <>
      {connection.value?.page?.status().role === "client" && <p>{t("nodes.logtab")}</p>}
      <Choice label={t("nodes.lines")} value={level.value} onText={(text) => (level.value = text as Level)}>
        {levels.map((one) => (
          <option key={one} value={one}>
            {t(words[one])}
          </option>
        ))}
      </Choice>
      <LiveList
        label={t("nodes.logof")}
        entries={lines}
        text={({ level: is, text }) => `${is} ${text}`}
        row={({ at, level: is, text }) => (
          <>
            <At at={at} /> <strong class={is === "error" ? "bad" : ""}>{is}</strong> <code>{text}</code>
          </>
        )}
        empty={t("nodes.nolog")}
        clear={() => (logLines.value = [])}
      />
    </>
  );
}
