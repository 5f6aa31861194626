import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Copy } from "../../ui/copy.tsx";
import { Fault } from "../../ui/fault.tsx";
import { worded } from "../tokens/words.ts";
import type { Outcome } from "./call.ts";

/** Characters that are shown; more would keep the browser busy for long. */
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
          Status {status}, after {ms.toFixed(1)} ms
        </p>
        {!hidden && <Copy text={text} what="JSON" label="Copy JSON" />}
      </div>
      <Fault error={worded(error, null)} />
      {hidden ? (
        <button type="button" class="secondary" onClick={() => (revealed.value = true)}>
          Show the answer
        </button>
      ) : (
        <pre role="region" aria-label="Answer" tabIndex={0}>
          {text.slice(0, SHOWN)}
        </pre>
      )}
      {!hidden && text.length > SHOWN && (
        <p class="muted">
          These are the first {SHOWN} of {text.length} characters; the button copies all.
        </p>
      )}
    </div>
  );
}
