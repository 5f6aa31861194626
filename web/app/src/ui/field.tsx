import type { ComponentChildren, InputHTMLAttributes } from "preact";
import { useId } from "preact/hooks";
import { visible } from "../visible.ts";

interface Common {
  label: string;
  /** What is wanted, before anything is wrong. */
  hint?: ComponentChildren;
  /** What is wrong. */
  error?: string | null | undefined;
  /** Gets the text at every change, without invisible characters. */
  onText?: (text: string) => void;
}

interface Control extends Common {
  value: string;
  name?: string;
  required?: boolean;
  disabled?: boolean;
  /** It has the focus when its view is shown: Title gives it. */
  autoFocus?: boolean;
  class?: string;
}

interface TextControl extends Control {
  placeholder?: string;
  readOnly?: boolean;
  maxLength?: number;
  autoComplete?: "on" | "off" | "current-password" | "new-password" | "username" | "url";
  /** Which keyboard a phone shows. */
  inputMode?: "text" | "decimal" | "numeric" | "url" | "search";
}

interface InputProps extends TextControl {
  type?: "text" | "password" | "url" | "search";
  /** Buttons behind the text. */
  after?: ComponentChildren;
  /** Suggestions: the id of a datalist. */
  list?: string;
  /** Each character counts, as in a password. */
  verbatim?: boolean;
}

interface AreaProps extends TextControl {
  rows?: number;
}

interface SelectProps extends Omit<Control, "autoFocus"> {
  /** Options. */
  children: ComponentChildren;
}

/** What ties a control to its words. */
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

/** Takes what was entered. The control shows it as it was taken. */
function take(control: HTMLInputElement | HTMLTextAreaElement, onText: Common["onText"], text = visible(control.value)) {
  if (text !== control.value) {
    const behind = control.value.length - (control.selectionEnd ?? 0);
    control.value = text;
    control.selectionEnd = control.selectionStart = Math.max(0, text.length - behind);
  }
  onText?.(text);
}

/** A line of text with its label, hint and error. */
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

/** Several lines of text. */
export function Area({ label, hint, error, onText, autoFocus, ...area }: AreaProps) {
  const { id, attributes } = useWords({ label, hint, error, autoFocus });
  return (
    <Words id={id} label={label} hint={hint} error={error}>
      <textarea autoComplete="off" spellcheck={false} {...area} {...attributes} onInput={({ currentTarget: control }) => take(control, onText)} />
    </Words>
  );
}

/** One of several; its children are options. */
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

/** For password managers, which want a name to keep the password under. */
export function User({ name = "Obverse wallet" }: { name?: string }) {
  return <input hidden type="text" name="username" autoComplete="username" value={name} readOnly />;
}
