import type { JSX } from "preact";

/** A button that indicates when its operation is in progress. It keeps the focus in the meantime. */
export function Button({ busy = false, disabled = false, class: name = "", type = "submit", onClick, ...rest }: JSX.IntrinsicElements["button"] & { busy?: boolean; disabled?: boolean; class?: string }) {
  return <button {...rest} type={type} class={name} aria-busy={busy} aria-disabled={busy || disabled} onClick={busy || disabled ? (event) => event.preventDefault() : onClick} />;
}
