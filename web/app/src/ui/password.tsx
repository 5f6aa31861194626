import { useSignal, type Signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { t } from "../language.ts";
import { Field, User } from "./field.tsx";

interface Props {
  label: string;
  text: Signal<string>;
  error?: string;
  hint?: ComponentChildren;
  /** Whether it is being chosen; password managers then offer one. */
  isNew?: boolean;
  /** The user name for password managers; null for a form's second password. */
  user?: string | null;
  autoFocus?: boolean;
}

/**
 * A password that can be made visible. While it is visible, the browser treats it as text, which it writes
 * to its disk to restore it after a crash, unless autocomplete is "off".
 */
export function Password({ label, text, error, hint, isNew = false, user = "Obverse wallet", autoFocus = false }: Props) {
  const visible = useSignal(false);
  const kind = visible.value ? ({ type: "text", autoComplete: "off" } as const) : ({ type: "password", autoComplete: isNew ? "new-password" : "current-password" } as const);
  return (
    <>
      {user !== null && <User name={user} />}
      <Field
        label={label}
        hint={hint}
        error={error}
        {...kind}
        value={text.value}
        onText={(given) => (text.value = given)}
        autoFocus={autoFocus}
        required
        verbatim
        after={
          <button type="button" class="quiet" aria-pressed={visible.value} aria-label={t("password.showit", { label })} onClick={() => (visible.value = !visible.value)}>
            {t(visible.value ? "password.hide" : "password.show")}
          </button>
        }
      />
    </>
  );
}
