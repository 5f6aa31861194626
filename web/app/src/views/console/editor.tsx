import { useSignal } from "@preact/signals";
import type { Ref } from "preact";
import { useId } from "preact/hooks";
import { t } from "../../language.ts";
import { spotAt, type Spot } from "./caret.ts";
import { inner, membersOf, paramsSchema, schemaAt, typeOf, type Method, type Side } from "./document.ts";
import { Suggestions, useListbox, type Option } from "./listbox.tsx";
import { valueOf } from "./skeleton.ts";

interface Props {
  side: Side;
  /** null if the node does not describe the method. */
  method: Method | null;
  value: string;
  error: string;
  onText: (text: string) => void;
  box: Ref<HTMLTextAreaElement>;
}

/** Returns the names that are possible at a position: those of the schema that are not present and match the prefix. */
function namesAt(method: Method | null, spot: Spot | null): readonly Option[] {
  const at = method && spot && schemaAt(paramsSchema(method), spot.path);
  if (!at) {
    return [];
  }
  const { members, required } = membersOf(inner(at));
  return Object.entries(members)
    .filter(([name]) => !spot.taken.includes(name) && name.startsWith(spot.prefix))
    .map(([name, schema]) => ({ value: name, detail: [required.includes(name) && t("console.required"), typeOf(schema), schema.description].filter(Boolean).join(" · ") }));
}

/** An editor for parameters in JSON that suggests names. */
export function Editor({ side, method, value, error, onText, box }: Props) {
  const id = useId();
  const spot = useSignal<Spot | null>(null);
  const put = useSignal<HTMLTextAreaElement | null>(null);
  const list = useListbox(side === "B" ? namesAt(method, spot.value) : [], ({ value: name }) => {
    const [at, target] = [spot.peek(), put.peek()];
    if (!at || !target || !method) {
      return;
    }
    const schema = membersOf(inner(schemaAt(paramsSchema(method), at.path) ?? {})).members[name] ?? {};
    const written = JSON.stringify(name) + (at.colon ? "" : `: ${valueOf(schema)}`);
    target.setRangeText(written, at.start, at.end, "end");
    if (written.endsWith('""')) {
      target.setSelectionRange(target.selectionStart - 1, target.selectionStart - 1);
    }
    onText(target.value);
  });
  const look = (target: HTMLTextAreaElement, requested: boolean) => {
    const found = spotAt(target.value, target.selectionStart);
    spot.value = found;
    put.value = target;
    if (found && (requested || (found.prefix !== "" && namesAt(method, found).some((option) => option.value !== found.prefix)))) {
      list.open(0);
    } else {
      list.close();
    }
  };
  const onKeyDown = (event: KeyboardEvent & { currentTarget: HTMLTextAreaElement }) => {
    if (event.key === " " && event.ctrlKey) {
      event.preventDefault();
      look(event.currentTarget, true);
    } else if (list.isOpen && list.onKey(event)) {
      event.preventDefault();
    }
  };
  return (
    <div class="field">
      <label for={id}>{t("console.parameters")}</label>
      <div class="combo">
        <textarea
          id={id}
          ref={box}
          class="code"
          rows={8}
          autoComplete="off"
          autoCapitalize="none"
          spellcheck={false}
          {...list.attributes}
          aria-haspopup="listbox"
          aria-describedby={`${id}-hint ${id}-error`}
          {...(error !== "" && { "aria-invalid": true as const })}
          value={value}
          onInput={(event) => (onText(event.currentTarget.value), look(event.currentTarget, false))}
          onKeyDown={onKeyDown}
          onBlur={list.close}
          onClick={list.close}
        />
        <Suggestions list={list} label={t("console.names")} />
      </div>
      <small id={`${id}-hint`}>{side === "B" ? t("console.object") : t("console.array")}</small>
      <small id={`${id}-error`} class="wrong" role="alert">
        {error}
      </small>
    </div>
  );
}
