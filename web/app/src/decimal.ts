/**
 * Amounts. They are decimal texts, as in the node's API, or integers in
 * the smallest unit for arithmetic. Never floating point.
 */

/** Amounts with more digits have no meaning: a token has at most 2^256 units and 255 decimals. The limit also bounds the time of arithmetic. */
const shape = /^(-?)(\d{1,400})(?:\.(\d{1,400}))?$/;

/** Reports whether a text is a decimal number, such as "-1.50". */
export const isDecimal = (text: string): boolean => shape.test(text);

/**
 * Returns the number of smallest units: toUnits("1.5", 6) is 1500000n. Null if the text is not a
 * decimal number or has more decimals than the unit.
 */
export function toUnits(text: string, decimals: number): bigint | null {
  const [, sign, whole, given = ""] = shape.exec(text) ?? [];
  const fraction = given.replace(/0+$/, "");
  if (whole === undefined || fraction.length > decimals) {
    return null;
  }
  const units = BigInt(whole + fraction.padEnd(decimals, "0"));
  return sign ? -units : units;
}

/** Returns the decimal text of a number of smallest units: fromUnits(1500000n, 6) is "1.5". */
export function fromUnits(units: bigint, decimals: number): string {
  const digits = (units < 0n ? -units : units).toString().padStart(decimals + 1, "0");
  const fraction = decimals === 0 ? "" : digits.slice(-decimals).replace(/0+$/, "");
  return `${units < 0n ? "-" : ""}${digits.slice(0, digits.length - decimals)}${fraction && `.${fraction}`}`;
}

/**
 * Converts a number as people type it, with a comma or a point before its decimals, to a decimal
 * text: typed("1,50") is "1.50", typed(".5") is "0.5". Null if it is not a number or is
 * ambiguous: "1,234.5" has two separators, and "1,234" is 1234 where a comma separates thousands.
 * @param group the language's thousands separator
 */
export function typed(text: string, group: string): string | null {
  const [, whole = "", sign = "", fraction = ""] = /^(\d{0,400})(?:([.,])(\d{0,400}))?$/.exec(text.trim()) ?? [];
  if (sign === group && fraction.length === 3 && /^[1-9]\d{0,2}$/.test(whole)) {
    return null;
  }
  return whole + fraction === "" ? null : `${whole || "0"}${fraction && `.${fraction}`}`;
}

/** Converts a number of JSON to a decimal text: plainDecimal("1.5e-7") is "0.00000015". Null if it is not a number or is absurdly long. */
export function plainDecimal(text: string): string | null {
  const [, whole, fraction = "", exponent = "0"] = /^(\d{1,400})(?:\.(\d{1,400}))?(?:e([+-]?\d{1,3}))?$/i.exec(text) ?? [];
  if (whole === undefined) {
    return null;
  }
  const shift = Number(exponent) - fraction.length;
  const digits = BigInt(whole + fraction);
  return shift >= 0 ? String(digits * 10n ** BigInt(shift)) : fromUnits(digits, -shift);
}

/** Returns amount divided by price, rounded down to the given number of decimals; null if the price is 0. Both must be decimal numbers. */
export function quotient(amount: string, price: string, decimals: number): string | null {
  const shared = Math.max(places(amount), places(price));
  const [x, y] = [toUnits(amount, shared), toUnits(price, shared)];
  return x === null || !y ? null : fromUnits((x * 10n ** BigInt(decimals)) / y, decimals);
}

/** Returns the exact product, rounded down to the given number of decimals. Both must be decimal numbers. */
export function product(a: string, b: string, decimals: number): string {
  const [x, y] = [toUnits(a, places(a)), toUnits(b, places(b))];
  const [exact, have] = [(x ?? 0n) * (y ?? 0n), places(a) + places(b)];
  return have > decimals ? fromUnits(exact / 10n ** BigInt(have - decimals), decimals) : fromUnits(exact, have);
}

/** Returns the number of decimals. */
const places = (text: string): number => shape.exec(text)?.[3]?.length ?? 0;

/** Returns -1, 0 or 1 if a is less than, equal to or greater than b. Both must be decimal numbers. */
export function compare(a: string, b: string): -1 | 0 | 1 {
  const decimals = Math.max(places(a), places(b));
  const [x, y] = [toUnits(a, decimals), toUnits(b, decimals)];
  if (x === null || y === null) {
    throw new RangeError("compare takes decimal numbers");
  }
  return x < y ? -1 : x > y ? 1 : 0;
}

/** Returns the exact sum. All must be decimal numbers. */
export function add(...amounts: string[]): string {
  const decimals = Math.max(0, ...amounts.map(places));
  const sum = amounts.reduce((total, amount) => {
    const units = toUnits(amount, decimals);
    if (units === null) {
      throw new RangeError("add takes decimal numbers");
    }
    return total + units;
  }, 0n);
  return fromUnits(sum, decimals);
}
