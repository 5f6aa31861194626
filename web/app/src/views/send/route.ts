import { useLayoutEffect } from "preact/hooks";
import { begin, draft, empty, itemIn } from "../../coins/sending.ts";
import { route } from "../../route.ts";

/** Resets the transfer when the page's address names another coin or NFT. */
export function useOtherCoin() {
  const [asked, ...of] = route.value.args;
  const item = of.join("/");
  useLayoutEffect(() => {
    if (asked !== undefined && (asked !== draft.peek().coin || item !== itemIn(draft.peek()))) {
      begin(empty(asked));
    }
  }, [asked, item]);
}
