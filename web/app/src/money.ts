/** Formats amounts of money and numbers for the current language. */

import { computed } from "@preact/signals";
import { typed } from "./decimal.ts";
import { locale } from "./language.ts";
import { fiat } from "./privacy.ts";

const SMALL = 0.01;

/** The language's separators of thousands and decimals: "," and "." in 12,345.5. */
export const signs = computed(() => {
  const parts = new Intl.NumberFormat(locale.value).formatToParts(12345.5);
  const sign = (type: string) => parts.find((part) => part.type === type)?.value ?? "";
  return { group: sign("group"), decimal: sign("decimal") };
});

/** Converts user input to a decimal text; null if it is not a number or is ambiguous. */
export const entered = (text: string): string | null => typed(text, signs.value.group);

/** Formats a decimal text for the language: "0,5" for "0.5" in German. */
export const written = (value: string): string => value.replace(".", signs.value.decimal);

/** Formats a value in the currency: "$1,234.56"; with more digits if there would be only zeros. */
export function money(value: number, currency = fiat.value): string {
  const tiny = value !== 0 && Math.abs(value) < SMALL;
  return new Intl.NumberFormat(locale.value, { style: "currency", currency, currencyDisplay: "narrowSymbol", ...(tiny ? { maximumSignificantDigits: 2 } : {}) }).format(value);
}

/** Formats a fraction as a percentage with its sign: "+1.25%". */
export const percent = (part: number): string => new Intl.NumberFormat(locale.value, { style: "percent", minimumFractionDigits: 2, maximumFractionDigits: 2, signDisplay: "exceptZero" }).format(part);

const DIGITS = 6;

/** Returns the first significant digits of a decimal text, at most six. It never rounds up, so that it never displays more than the balance. */
export function shortened(value: string): string {
  const [, sign = "", whole = "", fraction = ""] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(value) ?? [];
  if (whole === "") {
    return value;
  }
  const zeros = whole === "0" ? (/^0*/.exec(fraction)?.[0].length ?? 0) : 0;
  const places = whole === "0" ? zeros + DIGITS - 2 : Math.max(0, DIGITS - whole.length);
  const shown = fraction.slice(0, places).replace(/0+$/, "");
  return `${sign}${whole}${shown && `.${shown}`}`;
}

const MANY = 18; // decimals of common coins, at most
const LEAST = "0.000001";

/** Returns a decimal text in readable form: many decimals are cut, and less than a millionth is "< 0.000001". */
export function readable(value: string): string {
  const [, sign = "", whole = "", fraction = ""] = /^(-?)(\d+)\.(\d+?)0*$/.exec(value) ?? [];
  if (fraction.length <= MANY) {
    return value;
  }
  return /^0*$/.test(whole + fraction.slice(0, LEAST.length - 2)) ? (sign ? `> -${LEAST}` : `< ${LEAST}`) : shortened(value);
}

/** Formats a number with three digits, for display only. */
export const rounded = (value: string): string => new Intl.NumberFormat(locale.value, { maximumSignificantDigits: 3 }).format(Number(value));
