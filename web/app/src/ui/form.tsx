import type { ComponentChildren } from "preact";

/** A form that calls a function instead of being submitted. */
export function Form({ onSubmit, children }: { onSubmit: () => void; children: ComponentChildren }) {
  const submit = (event: Event) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <form onSubmit={submit} noValidate>
      {children}
    </form>
  );
}
