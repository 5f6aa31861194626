import { t } from "../language.ts";
import { Copy } from "./copy.tsx";

/** Matches the common beginning of a chain's addresses: 0x, or a prefix and the digit 1. */
const PREFIX = /^(?:0x(?=[0-9a-f]{40}$)|[a-z]{2,20}1(?=[02-9ac-hj-np-z]{38,58}$))/i;

/** Splits an address into the prefix and groups of four characters, which are easy to compare. */
export function groups(text: string): string[] {
  const [prefix = ""] = PREFIX.exec(text) ?? [];
  return [...(prefix ? [prefix] : []), ...(text.slice(prefix.length).match(/.{1,4}/gsu) ?? [])];
}

/**
 * An address, a key or an id in full, in groups of four characters that are separated only
 * visually, with a button that copies it.
 * @param what the kind of text in words: "the address", "your ATOM address"
 */
export function Address({ value, what = t("address"), copy = true }: { value: string; what?: string; copy?: boolean }) {
  return (
    <span class="address">
      <span class="groups" translate={false}>
        {groups(value).map((group, n) => (
          <span key={n}>{group}</span>
        ))}
      </span>
      {copy && <Copy key={value} text={value} what={what} />}
    </span>
  );
}
