/** Encryption of secrets: AES-GCM with keys that the page cannot read. The keys are never stored. */

/** Rounds of PBKDF2-HMAC-SHA-256, as OWASP recommends. */
const ITERATIONS = 600_000;

/** An encrypted value. */
export interface Sealed {
  iv: Uint8Array<ArrayBuffer>;
  data: ArrayBuffer;
}

/** A value encrypted with a password. */
export interface Vault extends Sealed {
  salt: Uint8Array<ArrayBuffer>;
  iterations: number;
}

const AES = { name: "AES-GCM", length: 256 };

const random = (length: number) => crypto.getRandomValues(new Uint8Array(length));

/** Reports whether this page may use WebCrypto: browsers allow it for https and localhost. */
export const canEncrypt = (): boolean => isSecureContext && crypto.subtle !== undefined;

const CURVE = { name: "ECDH", namedCurve: "P-256" };

/** Generates a key pair for one message, and returns the public key in exported form. */
export async function keyPair(): Promise<{ privateKey: CryptoKey; raw: ArrayBuffer }> {
  const { privateKey, publicKey } = await crypto.subtle.generateKey(CURVE, false, ["deriveKey"]);
  return { privateKey, raw: await crypto.subtle.exportKey("raw", publicKey) };
}

/** Returns the shared key of two key pairs. */
export async function sharedKey(privateKey: CryptoKey, raw: ArrayBuffer): Promise<CryptoKey> {
  const theirs = await crypto.subtle.importKey("raw", raw, CURVE, false, []);
  return crypto.subtle.deriveKey({ name: "ECDH", public: theirs }, privateKey, AES, false, ["encrypt", "decrypt"]);
}

/**
 * Returns the normalized password for key derivation: one keyboard writes é as one character, another
 * as two, and NFKC makes them equal.
 */
export const normalPassword = (password: string): string => password.normalize("NFKC");

async function keyOf(password: string, salt: Uint8Array<ArrayBuffer>, iterations: number): Promise<CryptoKey> {
  const text = new TextEncoder().encode(normalPassword(password));
  const material = await crypto.subtle.importKey("raw", text, "PBKDF2", false, ["deriveKey"]);
  return crypto.subtle.deriveKey({ name: "PBKDF2", hash: "SHA-256", salt, iterations }, material, AES, false, ["encrypt", "decrypt"]);
}

export async function seal(key: CryptoKey, value: unknown): Promise<Sealed> {
  const iv = random(12);
  const data = await crypto.subtle.encrypt({ name: "AES-GCM", iv }, key, new TextEncoder().encode(JSON.stringify(value)));
  return { iv, data };
}

/** Decrypts a value. The error is an OperationError if the key is wrong or the data were modified. */
export async function unseal<T>(key: CryptoKey, { iv, data }: Sealed): Promise<T> {
  const text = new TextDecoder().decode(await crypto.subtle.decrypt({ name: "AES-GCM", iv }, key, data));
  return JSON.parse(text) as T;
}

export async function lockAway(password: string, value: unknown): Promise<Vault> {
  const salt = random(16);
  return { ...(await seal(await keyOf(password, salt, ITERATIONS), value)), salt, iterations: ITERATIONS };
}

/** Decrypts a vault. It returns null if the password is wrong. */
export async function unlock<T>(password: string, vault: Vault): Promise<T | null> {
  const key = await keyOf(password, vault.salt, vault.iterations);
  try {
    return await unseal<T>(key, vault);
  } catch (error) {
    if (error instanceof DOMException && error.name === "OperationError") {
      return null;
    }
    throw error;
  }
}
