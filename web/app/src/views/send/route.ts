import { useEffect } from "preact/hooks";
import { begin, draft, empty } from "../../coins/sending.ts";
import { route } from "../../route.ts";

/** When the address names another coin, what is shown makes room for it. */
export function useOtherCoin() {
  const [asked] = route.value.args;
  useEffect(() => {
    if (asked !== undefined && asked !== draft.peek().coin) {
      begin(empty(asked));
    }
  }, [asked]);
}
