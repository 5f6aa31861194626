import { useSignal, type Signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { t } from "../language.ts";
import { Field, User } from "./field.tsx";

interface Props {
  label: string;
  text: Signal<string>;
  error?: string;
  hint?: ComponentChildren;
  /** It is being chosen now; password managers offer one then. */
  isNew?: boolean;
  /** Whose password it is, for password managers; null for a form's second password. */
  user?: string | null;
  autoFocus?: boolean;
}

/**
 * A password that can be visible. While it is, it is a text for the browser, which writes texts of
 * forms to its disk to restore them after a crash, unless they are "off".
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
