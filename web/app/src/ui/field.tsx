import type { ComponentChildren, InputHTMLAttributes } from "preact";
import { useId } from "preact/hooks";
import { visible } from "../visible.ts";

interface Common {
  label: string;
  /** A hint that is displayed while there is no error. */
  hint?: ComponentChildren;
  /** The error. */
  error?: string | null | undefined;
  /** Called with the text at every change, without invisible characters. */
  onText?: (text: string) => void;
}

interface Control extends Common {
  value: string;
  name?: string;
  required?: boolean;
  disabled?: boolean;
  /** Whether Title gives it the focus when the view is rendered. */
  autoFocus?: boolean;
  class?: string;
}

interface TextControl extends Control {
  placeholder?: string;
  readOnly?: boolean;
  maxLength?: number;
  autoComplete?: "on" | "off" | "current-password" | "new-password" | "username" | "url";
  /** The keyboard on a phone. */
  inputMode?: "text" | "decimal" | "numeric" | "url" | "search";
}

interface InputProps extends TextControl {
  type?: "text" | "password" | "url" | "search";
  /** Buttons after the input. */
  after?: ComponentChildren;
  /** The id of a datalist with suggestions. */
  list?: string;
  /** Whether each character counts, as in a password. */
  verbatim?: boolean;
}

interface AreaProps extends TextControl {
  rows?: number;
}

interface SelectProps extends Omit<Control, "autoFocus"> {
  /** The options of the select element. */
  children: ComponentChildren;
}

/** Connects a control with its label, hint and error. */
function useWords({ hint, error, autoFocus }: Common & { autoFocus?: boolean | undefined }) {
  const id = useId();
  const ids = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(" ");
  return { id, attributes: { id, ...(ids && { "aria-describedby": ids }), ...(error && { "aria-invalid": true as const }), ...(autoFocus && { "data-focus": "first" }) } };
}

function Words({ id, label, hint, error, children }: Common & { id: string; children: ComponentChildren }) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children}
      {hint && <small id={`${id}-hint`}>{hint}</small>}
      {error && (
        <small id={`${id}-error`} class="wrong" role="alert">
          {error}
        </small>
      )}
    </div>
  );
}

/** Reads the input and writes the cleaned text back to the control. */
function take(control: HTMLInputElement | HTMLTextAreaElement, onText: Common["onText"], text = visible(control.value)) {
  if (text !== control.value) {
    const behind = control.value.length - (control.selectionEnd ?? 0);
    control.value = text;
    control.selectionEnd = control.selectionStart = Math.max(0, text.length - behind);
  }
  onText?.(text);
}

/** A text input with its label, hint and error. */
export function Field({ label, hint, error, onText, autoFocus, after, verbatim = false, ...input }: InputProps) {
  const { id, attributes } = useWords({ label, hint, error, autoFocus });
  const taken = ({ currentTarget: control }: { currentTarget: HTMLInputElement }) => (verbatim ? onText?.(control.value) : take(control, onText));
  const all = { autoComplete: "off", spellcheck: false, ...input, ...attributes } as InputHTMLAttributes<HTMLInputElement>;
  return (
    <Words id={id} label={label} hint={hint} error={error}>
      {after ? (
        <div class="withbuttons">
          <input {...all} onInput={taken} />
          {after}
        </div>
      ) : (
        <input {...all} onInput={taken} />
      )}
    </Words>
  );
}

/** A text area. */
export function Area({ label, hint, error, onText, autoFocus, ...area }: AreaProps) {
  const { id, attributes } = useWords({ label, hint, error, autoFocus });
  return (
    <Words id={id} label={label} hint={hint} error={error}>
      <textarea autoComplete="off" spellcheck={false} {...area} {...attributes} onInput={({ currentTarget: control }) => take(control, onText)} />
    </Words>
  );
}

/** A select element; its children are options. */
export function Choice({ label, hint, error, onText, children, ...select }: SelectProps) {
  const { id, attributes } = useWords({ label, hint, error });
  return (
    <Words id={id} label={label} hint={hint} error={error}>
      <select {...select} {...attributes} onChange={(event) => onText?.(event.currentTarget.value)}>
        {children}
      </select>
    </Words>
  );
}

/** A user name for password managers, which store the password under it. */
export function User({ name = "Obverse wallet" }: { name?: string }) {
  return <input hidden type="text" name="username" autoComplete="username" value={name} readOnly />;
}
