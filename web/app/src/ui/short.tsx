import { t } from "../language.ts";
import { readable, shortened } from "../money.ts";
import { hideAmounts } from "../privacy.ts";
import { Amount } from "./amount.tsx";

/** A hidden amount. */
export const Dots = () => <span class="amount" role="img" aria-label={t("amount.hidden")}>••••</span>;

/** An amount with its significant digits; the full amount is its title. */
export function Short({ value, unit }: { value: string | null; unit?: string }) {
  if (hideAmounts.get()) {
    return <Dots />;
  }
  const short = value === null ? null : readable(value) === value ? shortened(value) : readable(value);
  return short === value ? <Amount value={value} {...(unit && { unit })} /> : <Amount value={short} exact={value} {...(unit && { unit })} />;
}
