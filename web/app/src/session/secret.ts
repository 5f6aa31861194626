/** Checks secrets from outside, such as from an authenticator: one may be empty, truncated or constant. */

const LENGTH = 32; // bytes
const DIFFERENT = 8; // of them at least; of 32 random ones about 30 differ

/** Whether bytes can be the secret of a key: exactly 32, and no pattern such as zeros. */
export const isSecret = (bytes: Uint8Array): boolean => bytes.length === LENGTH && new Set(bytes).size >= DIFFERENT;
