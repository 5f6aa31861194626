import { useEffect, useRef } from "preact/hooks";

/**
 * Makes the browser's Back work like the Back button of a view with several steps, instead of leaving the page and losing
 * the input.
 */
export function useBrowserBack(back: () => void): void {
  const now = useRef(back);
  now.current = back;
  useEffect(() => {
    let mine = 0;
    const hold = () => history.pushState({ step: (mine = Date.now()) }, "");
    const left = ({ state }: PopStateEvent) => {
      if (((state as { step?: number } | null)?.step ?? 0) < mine) { // otherwise it went forward
        hold();
        now.current();
      }
    };
    hold();
    addEventListener("popstate", left);
    return () => removeEventListener("popstate", left);
  }, []);
}
