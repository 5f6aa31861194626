/**
 * Parses the OP_RETURN of a token transaction. Only the form is parsed: the node decides whether the
 * chain accepts it as a token.
 */

/** Data of another module, or of a non-fungible token, in hexadecimal. */
export interface Blob {
  id: number;
  data: string;
}

export type Payload =
  | { is: "create"; /** public key */ owner: string; name: string; description: string; blobs: Blob[] }
  | { is: "transfer"; tokenid: string; /** public keys of the new owners */ keys: string[]; blobs: Blob[] };

/** The id of the blob that makes a token non-fungible. */
export const NFT_DATA = 0x11;

const EVAL = 0xf2;
const OP_RETURN = 0x6a;
const [CREATE, TRANSFER] = [0x63, 0x74];

const hex = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

/** Decodes hexadecimal digits; null if the text is not hexadecimal. */
export function bytesOf(text: string): Uint8Array | null {
  if (text.length % 2 !== 0 || !/^[0-9a-f]*$/i.test(text)) {
    return null;
  }
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}

/** Reads bytes one after another; short: there were not enough. */
class Reader {
  #at = 0;
  short = false;

  constructor(readonly bytes: Uint8Array) {}

  get left(): number {
    return this.bytes.length - this.#at;
  }

  take(count: number): Uint8Array {
    if (count > this.left) {
      this.short = true;
      this.#at = this.bytes.length;
      return new Uint8Array(count > 64 ? 0 : count);
    }
    return this.bytes.subarray(this.#at, (this.#at += count));
  }

  /** Reads a little-endian integer. */
  number(bytes: number): number {
    return this.take(bytes).reduceRight((sum, byte) => sum * 256 + byte, 0);
  }

  /** Reads bytes after their length. */
  counted(): Uint8Array {
    const first = this.number(1);
    return this.take(first < 0xfd ? first : this.number(first === 0xfd ? 2 : first === 0xfe ? 4 : 8));
  }

  text(): string {
    return new TextDecoder().decode(this.counted());
  }

  blobs(): Blob[] {
    const blobs: Blob[] = [];
    while (this.left > 1) {
      blobs.push({ id: this.number(1), data: hex(this.counted()) });
    }
    return blobs;
  }
}

/** Returns the data that an output script pushes after OP_RETURN; null for other scripts. */
function pushed(script: Uint8Array): Uint8Array | null {
  const reader = new Reader(script);
  if (reader.number(1) !== OP_RETURN) {
    return null;
  }
  const op = reader.number(1);
  const size = op <= 75 ? op : op === 0x4c ? reader.number(1) : op === 0x4d ? reader.number(2) : op === 0x4e ? reader.number(4) : -1;
  const data = size < 0 ? null : reader.take(size);
  return reader.short ? null : data;
}

/** Returns the payload of an output script in hexadecimal; null if it has no payload. */
export function payloadOf(script: string): Payload | null {
  const bytes = bytesOf(script);
  const data = bytes && pushed(bytes);
  if (!data) {
    return null;
  }
  const reader = new Reader(data);
  if (reader.number(1) !== EVAL) {
    return null;
  }
  const payload = read(reader.number(1), reader);
  return reader.short ? null : payload;
}

function read(func: number, reader: Reader): Payload | null {
  switch (func) {
    case CREATE:
      return { is: "create", owner: hex(reader.counted()), name: reader.text(), description: reader.text(), blobs: reader.blobs() };
    case TRANSFER: {
      const tokenid = hex(reader.take(32));
      const count = reader.number(1);
      return count > 2 ? null : { is: "transfer", tokenid, keys: Array.from({ length: count }, () => hex(reader.counted())), blobs: reader.blobs() };
    }
    default:
      return null;
  }
}

/** Returns the size in bytes of the output script for a new token; data is a size too. */
export function creationSize(name: string, description: string, data: number): number {
  const count = (size: number) => size + (size < 0xfd ? 1 : 3);
  const bytes = (text: string) => new TextEncoder().encode(text).length;
  const payload = 2 + count(33) + count(bytes(name)) + count(bytes(description)) + (data > 0 ? 1 + count(data) : 0);
  return 1 + payload + (payload <= 75 ? 1 : payload <= 0xff ? 2 : 3);
}
