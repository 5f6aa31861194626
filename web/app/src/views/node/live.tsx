import { useComputed, useSignal, type ReadonlySignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { t } from "../../language.ts";
import { Field } from "../../ui/field.tsx";

interface Entry {
  n: number;
}

interface Props<T extends Entry> {
  /** The kind of entries, in words. */
  label: string;
  /** Oldest first. */
  entries: ReadonlySignal<readonly T[]>;
  /** Returns the text that the filter searches. */
  text: (entry: T) => string;
  row: (entry: T) => ComponentChildren;
  /** The text of an empty list. */
  empty: string;
  clear: () => void;
}

/** A live list, newest first, in a scrollable frame so that nothing else moves; it can be filtered and paused. */
export function LiveList<T extends Entry>({ label, entries, text, row, empty, clear }: Props<T>) {
  const filter = useSignal("");
  const held = useSignal<readonly T[] | null>(null);
  const visible = useComputed(() => {
    const wanted = filter.value.trim().toLowerCase();
    return (held.value ?? entries.value).filter((entry) => text(entry).toLowerCase().includes(wanted)).reverse();
  });
  const newer = useComputed(() => {
    const last = held.value?.at(-1)?.n ?? -1;
    return held.value ? entries.value.filter(({ n }) => n > last).length : 0;
  });
  const hold = () => (held.value = held.peek() ? null : entries.peek());
  const empties = () => {
    held.value = null;
    clear();
  };
  return (
    <div class="live">
      <div class="tools">
        <Field label={t("nodes.filter")} type="search" value={filter.value} onText={(now) => (filter.value = now)} />
        <button type="button" class="secondary" aria-pressed={held.value !== null} onClick={hold}>
          {t("nodes.pause")}
        </button>
        <button type="button" class="secondary" onClick={empties}>
          {t("nodes.clear")}
        </button>
      </div>
      <div class="frame" role="region" aria-label={label} tabIndex={0}>
        {visible.value.length > 0 ? (
          <ol>
            {visible.value.map((entry) => (
              <li key={entry.n}>{row(entry)}</li>
            ))}
          </ol>
        ) : (
          <p class="muted">{entries.value.length > 0 ? t("nodes.nomatch") : empty}</p>
        )}
      </div>
      <p class="muted count">
        {held.value ? t("nodes.paused", { shown: visible.value.length, more: newer.value }) : t("nodes.shown", { shown: visible.value.length })}
      </p>
    </div>
  );
}

/** A time of day with milliseconds. */
export function At({ at }: { at: Date }) {
  const two = (n: number, digits = 2) => String(n).padStart(digits, "0");
  return <time dateTime={at.toISOString()}>{`${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}.${two(at.getMilliseconds(), 3)}`}</time>;
}
