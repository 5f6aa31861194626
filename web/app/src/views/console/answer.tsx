import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { t } from "../../language.ts";
import { Copy } from "../../ui/copy.tsx";
import { Fault } from "../../ui/fault.tsx";
import { worded } from "../tokens/words.ts";
import type { Outcome } from "./call.ts";

/** Maximum number of displayed characters; more would keep the browser busy. */
const SHOWN = 200_000;

/** An answer, as the node has written it. */
export function Answer({ outcome, secret }: { outcome: Outcome; secret: boolean }) {
  const revealed = useSignal(false);
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => end.current?.scrollIntoView({ block: "nearest" }), [outcome]);
  const { status, text, ms, error } = outcome;
  const hidden = secret && error === null && !revealed.value;
  return (
    <div ref={end}>
      <div class="bar">
        <p role="status">
          {t("console.status", { status, time: ms.toFixed(1) })}
        </p>
        {!hidden && <Copy text={text} what={t("console.json")} label={t("console.copyjson")} />}
      </div>
      <Fault error={worded(error, null)} />
      {hidden ? (
        <button type="button" class="secondary" onClick={() => (revealed.value = true)}>
          {t("console.show")}
        </button>
      ) : (
        <pre role="region" aria-label={t("console.answer")} tabIndex={0}>
          {text.slice(0, SHOWN)}
        </pre>
      )}
      {!hidden && text.length > SHOWN && (
        <p class="muted">
          {t("console.first", { shown: SHOWN, length: text.length })}
        </p>
      )}
    </div>
  );
}
