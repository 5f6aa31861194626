import { Copy } from "./copy.tsx";

/** The parts of an address: four characters each, so that eyes can compare them. */
export const groups = (text: string): string[] => text.match(/.{1,4}/gsu) ?? [];

/**
 * An address, a key or an id: all of it, in groups of four characters that are apart to
 * the eye only, with a button that copies it.
 * @param what in words: "the address", "your ATOM address"
 */
export function Address({ value, what = "the address", copy = true }: { value: string; what?: string; copy?: boolean }) {
  return (
    <span class="address">
      <span class="groups" translate={false}>
        {groups(value).map((group, n) => (
          <span key={n}>{group}</span>
        ))}
      </span>
      {copy && <Copy text={value} what={what} />}
    </span>
  );
}
