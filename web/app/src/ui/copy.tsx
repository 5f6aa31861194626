import { useSignal } from "@preact/signals";
import { t } from "../language.ts";
import { announce } from "./announce.tsx";

/**
 * A button that copies a text.
 * @param what the kind of text in words, for "Copied …" and for screen readers: "the address"
 * @param label the text of the button, the beginning of "Copy …"
 */
export function Copy({ text, what, label = t("copy.it") }: { text: string; what: string; label?: string }) {
  const done = useSignal<"" | "yes" | "no">("");
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      done.value = "yes";
      announce(t("copied", { what }));
    } catch {
      done.value = "no";
      announce(t("notcopied", { what }));
    }
  };
  const caption = { "": label, yes: t("copy.done"), no: t("copy.select") }[done.value];
  const name = { "": t("copy", { what }), yes: t("copied", { what }), no: t("copy.selectit", { what }) }[done.value];
  return (
    <button type="button" class="quiet copy" onClick={copy} onBlur={() => (done.value = "")} aria-label={name}>
      {caption}
    </button>
  );
}
