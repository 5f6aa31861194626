/** Validates secrets from outside, such as from an authenticator: they may be empty, truncated or constant. */

const LENGTH = 32; // bytes
const DIFFERENT = 8; // minimum number of distinct bytes; 32 random bytes have about 30

/** Reports whether bytes are suitable as the secret of a key: exactly 32, without a pattern such as zeros. */
export const isSecret = (bytes: Uint8Array): boolean => bytes.length === LENGTH && new Set(bytes).size >= DIFFERENT;
