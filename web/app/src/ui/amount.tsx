import { t } from "../language.ts";
import { readable, signs, written } from "../money.ts";

/** Splits "1234567.5" into ["1", "234", "567"] and "5". */
function parts(value: string): { sign: string; thousands: string[]; fraction: string } {
  const [, sign = "", whole = "", fraction = ""] = /^(-?)(\d*)(?:\.(\d+))?$/.exec(value) ?? [];
  return { sign, thousands: whole.match(/\d{1,3}(?=(?:\d{3})*$)/g) ?? [], fraction };
}

/**
 * An amount with all its digits: never rounded, and cut only if it has more decimals than can be read. Thousands separators are only visual,
 * so that copying gives the number.
 * @param value a decimal text; null if not known
 * @param whole do not cut many decimals, since the amount is compared
 * @param exact the full amount, if value is cut
 */
export function Amount({ value: given, unit, whole = false, exact: all }: { value: string | null; unit?: string; whole?: boolean; exact?: string | null }) {
  const value = given === null || whole ? given : readable(given);
  const exact = all ?? (value === given ? null : given);
  if (value === null) {
    return <span class="amount unknown">{t("amount.unknown")}</span>;
  }
  const { sign, thousands, fraction } = parts(value);
  return (
    <span class="amount">
      <data value={exact ?? value} {...(exact && { title: written(exact) })}>
        {thousands.length === 0 ? written(value) : sign && "−"}
        {thousands.map((group, n) => (
          <span key={n} {...(n > 0 && { "data-before": signs.value.group })}>
            {group}
          </span>
        ))}
        {fraction && signs.value.decimal + fraction}
      </data>
      {unit && <span class="unit"> {unit}</span>}
    </span>
  );
}
