import { useSignal, type Signal } from "@preact/signals";
import { Field, User } from "./field.tsx";

interface Props {
  label: string;
  text: Signal<string>;
  error?: string;
  hint?: string;
  /** It is being chosen now; password managers offer one then. */
  isNew?: boolean;
  /** Whose password it is, for password managers; null for a form's second password. */
  user?: string | null;
  autoFocus?: boolean;
}

/** A password that can be shown. */
export function Password({ label, text, error, hint, isNew = false, user = "Obverse wallet", autoFocus = false }: Props) {
  const shown = useSignal(false);
  return (
    <>
      {user !== null && <User name={user} />}
      <div class="password">
        <Field label={label} hint={hint} error={error} type={shown.value ? "text" : "password"} autoComplete={isNew ? "new-password" : "current-password"} value={text.value} onText={(given) => (text.value = given)} autoFocus={autoFocus} required />
        <button type="button" class="quiet" aria-pressed={shown.value} aria-label={`Show: ${label}`} onClick={() => (shown.value = !shown.value)}>
          {shown.value ? "Hide" : "Show"}
        </button>
      </div>
    </>
  );
}

export const SHORTEST = 8;

/** What is wrong with a new password; "" if nothing is. */
export const weakness = (password: string): string => ([...password].length < SHORTEST ? `It needs at least ${SHORTEST} characters.` : "");
