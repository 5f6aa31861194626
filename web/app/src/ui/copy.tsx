import { useSignal } from "@preact/signals";
import { announce } from "./announce.tsx";

/**
 * A button that copies a text.
 * @param what in words, for "Copied …" and for those who only hear the button: "the address"
 * @param label what is on the button, the beginning of "Copy …"
 */
export function Copy({ text, what, label = "Copy" }: { text: string; what: string; label?: string }) {
  const done = useSignal<"" | "yes" | "no">("");
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      done.value = "yes";
      announce(`Copied ${what}`);
    } catch {
      done.value = "no";
      announce(`The browser did not let this page copy ${what}: select it and copy it by hand`);
    }
  };
  const shown = { "": label, yes: "Copied", no: "Select it" }[done.value];
  const name = { "": `Copy ${what}`, yes: `Copied ${what}`, no: `Select it: ${what}` }[done.value];
  return (
    <button type="button" class="quiet copy" onClick={copy} onBlur={() => (done.value = "")} aria-label={name}>
      {shown}
    </button>
  );
}
