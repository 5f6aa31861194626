import type { Signal } from "@preact/signals";
import { Check } from "../../ui/check.tsx";

/** What an OtherWallet asks: whether the wallet that is here may be deleted. */
export function Replace({ agreed }: { agreed: Signal<boolean> }) {
  return (
    <div class="fault" role="alert">
      <p>
        <strong>This browser has the data of another wallet.</strong> Its history, its tokens on the chain in this page and its coins are deleted when you go on. Export them before, if you need them, and see that you have its words.
      </p>
      <Check checked={agreed.value} onCheck={(checked) => (agreed.value = checked)}>
        Delete the other wallet and its data
      </Check>
    </div>
  );
}
