import { useId } from "preact/hooks";
import { Suggestions, useListbox, type Option } from "./listbox.tsx";

interface Props {
  label: string;
  hint: string;
  error: string;
  value: string;
  options: readonly Option[];
  onText: (text: string) => void;
  /** Called when an option was chosen in the list. */
  onPick: (value: string) => void;
}

/** Returns the options whose name contains the text, first those that begin with it; then those that contain all its words. */
function matching(options: readonly Option[], text: string): readonly Option[] {
  const wanted = text.trim().toLowerCase();
  const rank = ({ value, detail }: Option): number => {
    const name = value.toLowerCase();
    if (name.includes(wanted)) {
      return name.startsWith(wanted) ? 0 : 1;
    }
    const all = `${name} ${detail.toLowerCase()}`;
    return wanted.split(/\s+/).every((word) => all.includes(word)) ? 2 : 3;
  };
  return options
    .map((option) => ({ option, order: rank(option) }))
    .filter(({ order }) => order < 3)
    .sort((a, b) => a.order - b.order)
    .map(({ option }) => option);
}

/** A text input with suggestions; other texts may be entered too. */
export function Combobox({ label, hint, error, value, options, onText, onPick }: Props) {
  const id = useId();
  const known = options.some((option) => option.value === value);
  const list = useListbox(known ? options : matching(options, value), (option) => onPick(option.value));
  const onKeyDown = (event: KeyboardEvent) => {
    if (list.onKey(event)) {
      event.preventDefault();
    } else if (event.key === "Enter" && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      const [only, ...others] = list.isOpen ? list.options : [];
      if (only && others.length === 0) {
        list.pick(only);
      } else {
        list.close();
      }
    } else if (event.key === "Escape" && value !== "") {
      event.preventDefault();
      onText("");
    }
  };
  const onInput = (text: string) => {
    onText(text);
    list.open();
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div class="combo">
        <input
          id={id}
          role="combobox"
          type="text"
          autoComplete="off"
          autoCapitalize="none"
          spellcheck={false}
          aria-expanded={list.isOpen}
          {...list.attributes}
          aria-describedby={`${id}-hint ${id}-error`}
          {...(error !== "" && { "aria-invalid": true as const })}
          value={value}
          onInput={(event) => onInput(event.currentTarget.value)}
          onKeyDown={onKeyDown}
          onClick={() => list.open()}
          onBlur={list.close}
        />
        <Suggestions list={list} label={label} />
      </div>
      <small id={`${id}-hint`}>{hint}</small>
      <small id={`${id}-error`} class="wrong" role="alert">
        {error}
      </small>
    </div>
  );
}
