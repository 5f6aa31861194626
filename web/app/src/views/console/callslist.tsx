import { t } from "../../language.ts";
import { made, type Made } from "./calls.ts";

/** Previous calls, to repeat them. */
export function Calls({ recall }: { recall: (one: Made) => void }) {
  if (made.value.length === 0) {
    return null;
  }
  return (
    <section class="calls" aria-labelledby="calls">
      <h2 id="calls">{t("console.calls")}</h2>
      <p>
        {t("console.callsabout")}{" "}
        <button type="button" class="quiet" onClick={() => (made.value = [])}>
          {t("console.forget")}
        </button>
      </p>
      <ol>
        {made.value.map((one) => (
          <li key={one.n}>
            <button type="button" class="quiet" onClick={() => recall(one)}>
              {one.side} {one.method}
            </button>{" "}
            <code>{one.params.replaceAll(/\s+/g, " ").slice(0, 80)}</code>{" "}
            <small>
              {one.kind || t("console.answered")}, {one.ms.toFixed(1)} ms
            </small>
          </li>
        ))}
      </ol>
    </section>
  );
}
