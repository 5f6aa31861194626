/**
 * Opens a wallet with a passkey as an alternative to its password. An authenticator that supports WebAuthn's PRF extension derives a secret from
 * a salt, for this site alone and after it has verified its user. The vault's key, which otherwise follows from
 * the password, is stored encrypted with that secret. The stored data alone does not open the wallet: it takes the authenticator or the password.
 */

import { normalPassword, seal, unseal, type Sealed, type Vault } from "./crypto.ts";
import { idOf, type Passkey, type PageSecret } from "./profile.ts";
import { isSecret } from "./secret.ts";
import { currentWallet, reveal } from "./reveal.ts";
import { openPage } from "./reveal.ts";
import { profile } from "./session.ts";
import { changeCurrent } from "./wallets.ts";

/** The error for an authenticator that cannot derive secrets, or derives insecure ones. */
export class NoSecret extends Error {
  constructor() {
    super("the authenticator gave no secret of 32 bytes");
  }
}

/** The error for a secret that differs from the one at registration, or for damaged records. */
export class OtherSecret extends Error {
  constructor(cause: unknown) {
    super("the passkey does not open the wallet", { cause });
  }
}

/** Reports whether the user has cancelled, or the authenticator does not have any of the passkeys. */
export const isRefusal = (error: unknown): boolean => error instanceof DOMException && ["NotAllowedError", "AbortError"].includes(error.name);

/** Reports whether this browser supports passkeys for this page: WebAuthn rejects numeric addresses. */
export const hasPasskeys = (): boolean => typeof PublicKeyCredential === "function" && !/^[\d.]+$|^\[/.test(location.hostname);

const random = (length: number) => crypto.getRandomValues(new Uint8Array(length));
const AES = { name: "AES-GCM", length: 256 };

/** Derives a key from a secret of the authenticator. */
async function keyOf(secret: BufferSource): Promise<CryptoKey> {
  const material = await crypto.subtle.importKey("raw", secret, "HKDF", false, ["deriveKey"]);
  return crypto.subtle.deriveKey({ name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info: new TextEncoder().encode("obverse passkey") }, material, AES, false, ["encrypt", "decrypt"]);
}

/** Derives the bits of the vault's key in the same way as crypto.ts. */
async function bitsOf(password: string, { salt, iterations }: Vault): Promise<Uint8Array<ArrayBuffer>> {
  const material = await crypto.subtle.importKey("raw", new TextEncoder().encode(normalPassword(password)), "PBKDF2", false, ["deriveBits"]);
  return new Uint8Array(await crypto.subtle.deriveBits({ name: "PBKDF2", hash: "SHA-256", salt, iterations }, material, AES.length));
}

const inText = (bytes: Uint8Array<ArrayBuffer>): string => btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

type Outputs = NonNullable<AuthenticationExtensionsClientOutputs["prf"]>["results"];

/** Returns the secret in an authenticator's response; null if it is missing or insecure. */
function secretIn(results: Outputs): Uint8Array<ArrayBuffer> | null {
  const first = results?.first;
  const secret = first && (ArrayBuffer.isView(first) ? new Uint8Array(first.buffer as ArrayBuffer, first.byteOffset, first.byteLength) : new Uint8Array(first));
  return secret && isSecret(secret) ? secret : null;
}

/** Requests the secret of one of the passkeys. More authenticators support the form for one passkey than the one for several. */
async function ask(passkeys: Pick<Passkey, "id" | "salt">[]): Promise<{ id: Uint8Array<ArrayBuffer>; secret: Uint8Array<ArrayBuffer> }> {
  const [only, another] = passkeys;
  const prf = only && !another ? { eval: { first: only.salt } } : { evalByCredential: Object.fromEntries(passkeys.map(({ id, salt }) => [inText(id), { first: salt }])) };
  const answer = (await navigator.credentials.get({
    publicKey: {
      challenge: random(32),
      allowCredentials: passkeys.map(({ id }) => ({ type: "public-key", id })),
      userVerification: "required",
      extensions: { prf },
    },
  })) as PublicKeyCredential;
  const secret = secretIn(answer.getClientExtensionResults().prf?.results);
  if (!secret) {
    throw new NoSecret();
  }
  return { id: new Uint8Array(answer.rawId), secret };
}

/**
 * Registers a passkey that opens the wallet in use.
 * @throws WrongPassword, NoSecret, or the browser's error
 */
export async function addPasskey(password: string, name: string): Promise<void> {
  await reveal(password);
  const wallet = profile.peek()?.page;
  const { vault, passkeys = [] } = wallet ?? {};
  const salt = random(32);
  const made = (await navigator.credentials.create({
    publicKey: {
      rp: { name: "Obverse" },
      user: { id: random(16), name, displayName: name },
      challenge: random(32),
      pubKeyCredParams: [
        { type: "public-key", alg: -7 },
        { type: "public-key", alg: -257 },
      ],
      excludeCredentials: passkeys.map(({ id }) => ({ type: "public-key", id })),
      authenticatorSelection: { residentKey: "preferred", userVerification: "required" },
      extensions: { prf: { eval: { first: salt } } },
    },
  })) as PublicKeyCredential;
  const id = new Uint8Array(made.rawId);
  const { prf } = made.getClientExtensionResults();
  if (!prf?.enabled) {
    throw new NoSecret();
  }
  // Some authenticators derive it only on a request.
  const secret = prf.results?.first ? secretIn(prf.results) : (await ask([{ id, salt }])).secret;
  if (!secret) {
    throw new NoSecret();
  }
  const bits = await bitsOf(password, vault as Vault);
  const key: Sealed = await seal(await keyOf(secret), [...bits]);
  bits.fill(0);
  await changeCurrent((now) => {
    if (inText(new Uint8Array(now.vault?.salt ?? [])) !== inText(new Uint8Array(vault?.salt ?? []))) {
      throw new Error("another tab has changed the password meanwhile: try again");
    }
    return { ...now, passkeys: [...(now.passkeys ?? []), { id, salt, key, made: Date.now() }] };
  }, idOf(wallet));
}

/**
 * Opens the wallet in use with one of its passkeys.
 * @throws NoSecret, OtherSecret, or the browser's error
 */
export async function unlockByPasskey(): Promise<void> {
  const { vault, passkeys = [] } = (await currentWallet()) ?? {};
  const { id, secret } = await ask(passkeys);
  const used = passkeys.find((passkey) => inText(passkey.id) === inText(id));
  await openPage(await opened(secret, used, vault).catch((error: unknown) => Promise.reject(new OtherSecret(error))));
}

/** Decrypts the vault with the secret of a passkey. */
async function opened(secret: Uint8Array<ArrayBuffer>, used: Passkey | undefined, vault: Vault | undefined): Promise<PageSecret> {
  const bits = await unseal<number[]>(await keyOf(secret), (used as Passkey).key);
  const key = await crypto.subtle.importKey("raw", new Uint8Array(bits), AES, false, ["decrypt"]);
  return unseal<PageSecret>(key, vault as Vault);
}

/** Removes passkeys of earlier versions of the page that accepted any secret: with an empty one, or with zeros, the wallet opens without the authenticator. */
export async function removeOpen(): Promise<void> {
  for (const passkey of profile.peek()?.page?.passkeys ?? []) {
    for (const length of [0, 32]) {
      const key = await keyOf(new Uint8Array(length));
      const isOpen = await unseal(key, passkey.key).then(() => true, () => false);
      isOpen && (await removePasskey(passkey));
    }
  }
}

/** Removes a passkey. The authenticator keeps its part, which then opens nothing. */
export const removePasskey = ({ id }: Passkey): Promise<void> => changeCurrent((wallet) => ({ ...wallet, passkeys: (wallet.passkeys ?? []).filter((passkey) => inText(passkey.id) !== inText(id)) }));
