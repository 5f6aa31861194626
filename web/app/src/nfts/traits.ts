/** The traits of an NFT in its author's metadata, in any form. */

export interface Trait {
  name: string;
  value: string;
}

const plain = (value: unknown): string => (typeof value === "string" ? value : value === null || value === undefined ? "" : JSON.stringify(value));

const MOST = 100;

/** Returns the traits in untrusted metadata. */
export function traitsOf(attributes: unknown): Trait[] {
  const list: unknown[] = Array.isArray(attributes) ? attributes : typeof attributes === "object" && attributes !== null ? Object.entries(attributes).map(([trait_type, value]) => ({ trait_type, value })) : [];
  return list
    .map((item) => {
      const { trait_type, value } = (typeof item === "object" && item !== null ? item : { value: item }) as { trait_type?: unknown; value?: unknown };
      return { name: plain(trait_type), value: plain(value) };
    })
    .filter(({ name, value }) => name !== "" || value !== "")
    .slice(0, MOST);
}
