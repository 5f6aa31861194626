/** A clock that runs while the page is visible. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

/** A number that grows every so many milliseconds while the page is in sight, and when it comes into sight. */
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
