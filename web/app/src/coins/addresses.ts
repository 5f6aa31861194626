/**
 * Addresses: of Cosmos chains, "cosmos1…", a prefix and the digit 1 before what differs;
 * and of EVM networks, "0x…", whose capitals are a checksum.
 */

const isHex = (address: string): boolean => /^0x/i.test(address);

/** The prefix of an address; null if it has none, or nothing behind it. */
export function prefixOf(address: string): string | null {
  const end = address.lastIndexOf("1");
  return !isHex(address) && end > 0 && end < address.length - 1 ? address.slice(0, end) : null;
}

const ENDS = 4;

/**
 * The known address that another one is easily taken for: both begin and end alike, and
 * differ between. Whoever wants to be sent somebody else's coins makes such an address and
 * sends a trifle from it, so that it is in the history. Prefixes do not count: all
 * addresses of a chain have the same.
 */
export function looksLike(address: string, known: Iterable<string>): string | null {
  const plain = (text: string) => (isHex(text) ? text.toLowerCase() : text);
  const ends = (text: string) => {
    const part = plain(text).slice(isHex(text) ? 2 : (prefixOf(text)?.length ?? -1) + 1);
    return part.slice(0, ENDS) + part.slice(-ENDS);
  };
  for (const other of known) {
    if (plain(other) !== plain(address) && prefixOf(other) === prefixOf(address) && ends(other) === ends(address)) {
      return other;
    }
  }
  return null;
}

const ALPHABET = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
const GENERATOR = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];

/** The checksum of bech32 (BIP 173) over groups of 5 bits; 1 if it is right. */
function checksum(groups: readonly number[]): number {
  let sum = 1;
  for (const group of groups) {
    const top = sum >>> 25;
    sum = ((sum & 0x1ffffff) << 5) ^ group;
    GENERATOR.forEach((factor, bit) => (sum ^= (top >> bit) & 1 ? factor : 0));
  }
  return sum;
}

/** What is certainly wrong with an address of a kind; "" if the node may take it. It alone checks the capitals of an EVM one. */
export function mistakeIn(address: string, evm: boolean): "form" | "checksum" | "" {
  if (evm) {
    return /^0x[0-9a-f]{40}$/i.test(address) && address.startsWith("0x") ? "" : "form";
  }
  const small = address.toLowerCase();
  const prefix = prefixOf(small);
  const data = [...small.slice((prefix?.length ?? 0) + 1)].map((sign) => ALPHABET.indexOf(sign));
  if (prefix === null || data.length < 6 || data.includes(-1) || (address !== small && address !== address.toUpperCase())) {
    return "form";
  }
  const codes = [...prefix].map((sign) => sign.charCodeAt(0));
  return checksum([...codes.map((code) => code >> 5), 0, ...codes.map((code) => code & 31), ...data]) === 1 ? "" : "checksum";
}
