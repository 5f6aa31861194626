import { useSignal } from "@preact/signals";
import { t } from "../language.ts";
import { announce } from "./announce.tsx";
import { Icon } from "./icon.tsx";
import { headTail } from "./tail.ts";

/**
 * An address or a hash in short form, with a button that copies all of it.
 * @param what the kind of text in words: "the address"
 */
export function ShortAddress({ value, what = t("address") }: { value: string; what?: string }) {
  const done = useSignal<"copy" | "copied" | "notcopied">("copy");
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(value);
      done.value = "copied";
    } catch {
      done.value = "notcopied";
    }
    announce(t(done.peek(), { what }));
  };
  return (
    <span class="shortaddress">
      <span title={value} translate={false}>
        {headTail(value)}
      </span>
      <button type="button" class="icononly" onClick={() => void copy()} onBlur={() => (done.value = "copy")} aria-label={t(done.value, { what })}>
        <Icon name={done.value === "copied" ? "check" : done.value === "notcopied" ? "close" : "copy"} />
      </button>
    </span>
  );
}
