/** Time that passes while somebody looks. */

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { useLoad, type Load } from "./task.ts";

/** A number that grows every so many milliseconds while the page is in sight, and when it comes into sight. */
function useEvery(ms: number): number {
  const turn = useSignal(0);
  useEffect(() => {
    const next = () => {
      if (!document.hidden) {
        turn.value++;
      }
    };
    const timer = setInterval(next, ms);
    document.addEventListener("visibilitychange", next);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", next);
    };
  }, [ms]);
  return turn.value;
}

/**
 * An answer to show that is asked for again every so many milliseconds while the page is in
 * sight. One that takes longer is waited for: asked again meanwhile, a slow node would never
 * have its answer taken.
 */
export function usePoll<T>(ask: () => Promise<T>, ms: number): Load<T> {
  const waiting = useRef(0);
  const load = useLoad(() => {
    waiting.current++;
    return ask().finally(() => waiting.current--);
  });
  const turn = useEvery(ms);
  useEffect(() => {
    if (turn > 0 && waiting.current === 0) {
      load.reload();
    }
  }, [turn]);
  return load;
}
