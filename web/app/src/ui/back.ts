import { useEffect, useRef } from "preact/hooks";

/**
 * Has the browser's Back do what a Back button of the steps of one view does, instead of leaving the page with all that was
 * entered and made in them.
 */
export function useBrowserBack(back: () => void): void {
  const now = useRef(back);
  now.current = back;
  useEffect(() => {
    let mine = 0;
    const hold = () => history.pushState({ step: (mine = Date.now()) }, "");
    const left = ({ state }: PopStateEvent) => {
      if (((state as { step?: number } | null)?.step ?? 0) < mine) { // else it went forward
        hold();
        now.current();
      }
    };
    hold();
    addEventListener("popstate", left);
    return () => removeEventListener("popstate", left);
  }, []);
}
