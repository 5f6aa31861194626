/** A form of one field, which what is wrong is said at; and where the focus goes. */

import { useSignal, type Signal } from "@preact/signals";
import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

interface OneField {
  text: Signal<string>;
  /** What is wrong; "" if nothing is. */
  wrong: Signal<string>;
  /** What the field is in. */
  form: RefObject<HTMLElement | null>;
  /** Says what is wrong, and gives the field the focus. */
  refuse: (why: string) => void;
}

/**
 * A row of a list. When it goes, with the button that was pressed, the focus goes to the
 * heading of its section, unless it is elsewhere. A look at the node may take the row away
 * before the press of the button is answered.
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
