/** Long lists that are drawn over several frames, so that no single task keeps the page from answering. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

/** The first items of a list: step of them at first, and as many more in each frame until all are drawn. */
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
