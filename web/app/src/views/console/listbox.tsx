/** A list of suggestions below an input, after the combobox pattern of the ARIA Authoring Practices. */

import { useSignal } from "@preact/signals";
import { useEffect, useId, useRef } from "preact/hooks";

export interface Option {
  value: string;
  /** A description, below the value. */
  detail: string;
}

export interface Listbox {
  /** The list's id. */
  id: string;
  options: readonly Option[];
  isOpen: boolean;
  active: number;
  /** Attributes of the input. */
  attributes: Record<string, string | undefined>;
  open: (active?: number) => void;
  close: () => void;
  pick: (option: Option) => void;
  /** Handles a key of the ARIA combobox pattern, and reports whether the key belongs to it. */
  onKey: (event: KeyboardEvent) => boolean;
}

export function useListbox(options: readonly Option[], picked: (option: Option) => void): Listbox {
  const id = useId();
  const wanted = useSignal(false);
  const at = useSignal(-1);
  const isOpen = wanted.value && options.length > 0;
  const active = isOpen ? Math.min(at.value, options.length - 1) : -1;
  const open = (first = -1) => {
    wanted.value = true;
    at.value = first;
  };
  const close = () => void (wanted.value = false);
  const pick = (option: Option) => {
    close();
    picked(option);
  };
  const move = (by: number) => {
    if (!isOpen) {
      open(by > 0 ? 0 : options.length - 1);
    } else {
      at.value = active < 0 && by < 0 ? options.length - 1 : (active + by + options.length) % options.length;
    }
  };
  const onKey = ({ key, altKey, ctrlKey, metaKey, shiftKey }: KeyboardEvent): boolean => {
    if (ctrlKey || metaKey || shiftKey) {
      return false;
    }
    const option = options[active];
    if (key === "ArrowDown") {
      return altKey ? open() : move(1), true;
    }
    if (key === "ArrowUp") {
      return altKey ? close() : move(-1), true;
    }
    if (isOpen && key === "Escape") {
      return close(), true;
    }
    if (isOpen && key === "Enter" && option) {
      return pick(option), true;
    }
    return false;
  };
  const attributes = { "aria-autocomplete": "list", "aria-controls": isOpen ? id : undefined, "aria-activedescendant": active >= 0 ? `${id}-${active}` : undefined };
  return { id, options, isOpen, active, attributes, open, close, pick, onKey };
}

/** The list itself; the focus stays in the input. */
export function Suggestions({ list: { id, options, isOpen, active, pick }, label }: { list: Listbox; label: string }) {
  const listRef = useRef<HTMLUListElement>(null);
  useEffect(() => {
    listRef.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  }, [active, isOpen]);
  if (!isOpen) {
    return null;
  }
  return (
    <ul ref={listRef} role="listbox" id={id} aria-label={label} onMouseDown={(event) => event.preventDefault()}>
      {options.map((option, n) => (
        <li key={option.value} role="option" id={`${id}-${n}`} aria-selected={n === active} onClick={() => pick(option)}>
          {option.value} <small>{option.detail}</small>
        </li>
      ))}
    </ul>
  );
}
