import type { JSX } from "preact";

/** A button that shows that its work goes on. It keeps the focus meanwhile. */
export function Button({ busy = false, disabled = false, class: name = "", type = "submit", onClick, ...rest }: JSX.IntrinsicElements["button"] & { busy?: boolean; disabled?: boolean; class?: string }) {
  return <button {...rest} type={type} class={name} aria-busy={busy} aria-disabled={busy || disabled} onClick={busy || disabled ? (event) => event.preventDefault() : onClick} />;
}
