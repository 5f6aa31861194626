import { t } from "../language.ts";
import { cut, describe } from "../words.ts";

/** Returns the data of an error as text; the node's data are JSON. */
const textOf = (data: unknown): string => (typeof data === "string" ? data : JSON.stringify(data, null, 2));

/**
 * An error in words: what happened, what to do, and optional details.
 * It is announced when it appears.
 * @param retry called by a button "Try again"
 */
export function Fault({ error, retry }: { error: unknown; retry?: () => void }) {
  if (error === null || error === undefined) {
    return null;
  }
  const { what, todo, kind, message, data, path } = describe(error);
  return (
    <div class="fault" role="alert">
      <p>
        <strong>{what}</strong> {todo}
      </p>
      {retry && (
        <button type="button" class="secondary" onClick={retry}>
          {t("again")}
        </button>
      )}
      {(kind || message) && (
        <details>
          <summary>{t("error.details")}</summary>
          <dl>
            {kind && <Row name={t("error.kind")} value={kind} />}
            {message && <Row name={t("error.message")} value={message} />}
            {data !== undefined && <Row name={t("error.data")} value={textOf(data)} />}
            {path && <Row name={t("error.where")} value={path} />}
          </dl>
        </details>
      )}
    </div>
  );
}

function Row({ name, value }: { name: string; value: string }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>
        <code>{cut(value)}</code>
      </dd>
    </>
  );
}
