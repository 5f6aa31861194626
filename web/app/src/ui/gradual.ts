/** Renders long lists over several frames, so that the page stays responsive. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

/** Returns the first items of a list: step items at first, and as many more in each frame until all are rendered. */
export function useGradual<T>(list: readonly T[], step: number): readonly T[] {
  const drawn = useSignal(step);
  useEffect(() => {
    if (drawn.value < list.length) {
      const frame = requestAnimationFrame(() => void (drawn.value += step));
      return () => cancelAnimationFrame(frame);
    }
    return undefined;
  }, [drawn.value, list.length]);
  return list.slice(0, drawn.value);
}
