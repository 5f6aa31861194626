import { useSignal, type ReadonlySignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

const PAUSE = 700; // ms

/**
 * Reports whether the view has been visible long enough to be read. A site decides when this window opens:
 * a click that was meant for the page below must not confirm anything.
 */
export function useSettled(): ReadonlySignal<boolean> {
  const settled = useSignal(false);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const wait = () => {
      settled.value = false;
      clearTimeout(timer);
      timer = setTimeout(() => (settled.value = true), PAUSE);
    };
    wait();
    addEventListener("focus", wait);
    return () => {
      clearTimeout(timer);
      removeEventListener("focus", wait);
    };
  }, []);
  return settled;
}
