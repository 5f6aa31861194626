import type { ComponentChildren } from "preact";
import { t } from "../../language.ts";
import { inner, membersOf, typeOf, type Method, type Schema, type Side } from "./document.ts";

interface Props {
  side: Side;
  method: Method;
  /** Reports whether the text already has a parameter. */
  has: (name: string) => boolean;
  add: (name: string) => void;
}

/** Describes a method, its parameters and errors. */
export function Help({ side, method, has, add }: Props) {
  const { name, summary, description, params, errors } = method;
  return (
    <>
      <h2>{name}</h2>
      <p>
        {summary}. {description}
      </p>
      {params.length === 0 ? <p>{t("console.noparameters")}</p> : <h3>{t("console.parameters")}</h3>}
      <ol class={side === "A" ? "placed" : "named"}>
        {params.map((param) => (
          <li key={param.name}>
            <Name name={param.name} required={param.required ?? false} schema={param.schema}>
              {!has(param.name) && (
                <button type="button" class="quiet" aria-label={t("console.addone", { name: param.name })} onClick={() => add(param.name)}>
                  {t("console.add")}
                </button>
              )}
            </Name>
            <Members schema={param.schema} />
          </li>
        ))}
      </ol>
      {errors.length > 0 && (
        <details>
          <summary>{t("console.errors")}</summary>
          <dl>
            {errors.map(({ kind, when }) => [<dt key={kind}>{kind}</dt>, <dd key={`${kind} when`}>{when}</dd>])}
          </dl>
        </details>
      )}
    </>
  );
}

function Name({ name, required, schema, children }: { name: string; required: boolean; schema: Schema; children?: ComponentChildren }) {
  return (
    <>
      <div class="name">
        <span>
          <code>{name}</code>{" "}
          <small>
            {typeOf(schema)}
            {required && `, ${t("console.required")}`}
            {schema.default !== undefined && t("console.default", { default: JSON.stringify(schema.default) })}
          </small>
        </span>
        {children}
      </div>
      {schema.description && <p>{schema.description}</p>}
    </>
  );
}

/** The members of a parameter that is an object or a list of objects. */
function Members({ schema }: { schema: Schema }) {
  const { members, required } = membersOf(inner(schema));
  const names = Object.entries(members);
  if (names.length === 0) {
    return null;
  }
  return (
    <ul>
      {names.map(([name, member]) => (
        <li key={name}>
          <Name name={name} required={required.includes(name)} schema={member} />
          <Members schema={member} />
        </li>
      ))}
    </ul>
  );
}
