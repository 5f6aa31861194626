/** A clock that runs while the page is visible. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

/** Returns a number that grows every ms milliseconds while the page is visible, and when it becomes visible. */
export function useEvery(ms: number): number {
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
