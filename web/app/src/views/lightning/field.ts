/** A form with one field that displays its errors, and moves the focus. */

import { useSignal, type Signal } from "@preact/signals";
import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

interface OneField {
  text: Signal<string>;
  /** What is wrong; "" if nothing. */
  wrong: Signal<string>;
  /** The element that contains the field. */
  form: RefObject<HTMLElement | null>;
  /** Displays an error and focuses the field. */
  refuse: (why: string) => void;
}

/**
 * Returns a ref for a row of a list. When the row with the pressed button is removed, the focus moves to the
 * heading of its section, unless it is elsewhere. A refresh may remove the row
 * before the button's request is answered.
 */
export function useRow(): RefObject<HTMLLIElement | null> {
  const row = useRef<HTMLLIElement>(null);
  useLayoutEffect(() => {
    const shown = row.current;
    return () => {
      if (shown?.contains(document.activeElement)) {
        shown.closest("section")?.querySelector("h2")?.focus();
      }
    };
  }, []);
  return row;
}

export function useField(): OneField {
  const text = useSignal("");
  const wrong = useSignal("");
  const form = useRef<HTMLElement>(null);
  const refuse = (why: string) => {
    wrong.value = why;
    form.current?.querySelector("input")?.focus();
  };
  return { text, wrong, form, refuse };
}
