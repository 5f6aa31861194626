import type { ComponentChildren } from "preact";

/** A check box, or with a name a radio button, followed by its label. */
export function Check({ checked, onCheck, children, name, disabled = false }: { checked: boolean; onCheck: (checked: boolean) => void; children: ComponentChildren; name?: string; disabled?: boolean }) {
  return (
    <label class="check">
      <input type={name === undefined ? "checkbox" : "radio"} name={name} checked={checked} disabled={disabled} onChange={(event) => onCheck(event.currentTarget.checked)} />
      <span>{children}</span>
    </label>
  );
}
