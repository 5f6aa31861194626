/** Amounts of money and numbers as the language writes them. */

import { computed } from "@preact/signals";
import { typed } from "./decimal.ts";
import { locale } from "./language.ts";
import { fiat } from "./privacy.ts";

const SMALL = 0.01;

/** What the language has between thousands and before decimals: "," and "." of 12,345.5. */
export const signs = computed(() => {
  const parts = new Intl.NumberFormat(locale.value).formatToParts(12345.5);
  const sign = (type: string) => parts.find((part) => part.type === type)?.value ?? "";
  return { group: sign("group"), decimal: sign("decimal") };
});

/** What a user entered, as a decimal text; null: it is no number, or could be two. */
export const entered = (text: string): string | null => typed(text, signs.value.group);

/** A decimal text as the language writes it: "0,5" for "0.5" in German. */
export const written = (value: string): string => value.replace(".", signs.value.decimal);

/** A value in the currency: "$1,234.56"; with more digits where there would be none but zeros. */
export function money(value: number, currency = fiat.value): string {
  const tiny = value !== 0 && Math.abs(value) < SMALL;
  return new Intl.NumberFormat(locale.value, { style: "currency", currency, currencyDisplay: "narrowSymbol", ...(tiny ? { maximumSignificantDigits: 2 } : {}) }).format(value);
}

/** A part as a percentage with its sign: "+1.25%". */
export const percent = (part: number): string => new Intl.NumberFormat(locale.value, { style: "percent", minimumFractionDigits: 2, maximumFractionDigits: 2, signDisplay: "exceptZero" }).format(part);

const DIGITS = 6;

/** The first digits of a decimal text that count, at most six, never rounded up: more than is there is never shown. */
export function shortened(value: string): string {
  const [, sign = "", whole = "", fraction = ""] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(value) ?? [];
  if (whole === "") {
    return value;
  }
  const zeros = whole === "0" ? (/^0*/.exec(fraction)?.[0].length ?? 0) : 0;
  const kept = whole === "0" ? zeros + DIGITS - 2 : Math.max(0, DIGITS - whole.length);
  const shown = fraction.slice(0, kept).replace(/0+$/, "");
  return `${sign}${whole}${shown && `.${shown}`}`;
}

const MANY = 18; // decimals of what people hold, at most
const LEAST = "0.000001";

/** A decimal text as it can be read: that of a token with very many decimals is cut, and what is less than a millionth is "< 0.000001". */
export function readable(value: string): string {
  const [, sign = "", whole = "", fraction = ""] = /^(-?)(\d+)\.(\d+?)0*$/.exec(value) ?? [];
  if (fraction.length <= MANY) {
    return value;
  }
  return /^0*$/.test(whole + fraction.slice(0, LEAST.length - 2)) ? (sign ? `> -${LEAST}` : `< ${LEAST}`) : shortened(value);
}

/** A number of three digits, for the eye alone. */
export const rounded = (value: string): string => new Intl.NumberFormat(locale.value, { maximumSignificantDigits: 3 }).format(Number(value));
