import { useLayoutEffect } from "preact/hooks";
import { begin, draft, empty, itemIn } from "../../coins/sending.ts";
import { route } from "../../route.ts";

/** Resets the transfer when the page's address names another coin or NFT. */
export function useOtherCoin() {
  const [requested, ...of] = route.value.args;
  const item = of.join("/");
  useLayoutEffect(() => {
    if (requested !== undefined && (requested !== draft.peek().coin || item !== itemIn(draft.peek()))) {
      begin(empty(requested));
    }
  }, [requested, item]);
}
