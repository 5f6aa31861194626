// Package noise implements the transport of Lightning. A handshake of three acts authenticates
// both sides. Encrypted messages follow, with keys that change every 500 messages. The package
// has no sockets and no timeouts, and does not interpret the messages. The caller reads the
// acts and limits the time for them.
//
// The cipher is from x/crypto, HKDF from the standard library, and the curve from Key. The
// protocol is implemented here because libraries of Noise do not export the chaining key, which
// the key rotation needs.
//
// Source: BOLT 8, Encrypted and Authenticated Transport: Noise_XK_secp256k1_ChaChaPoly_SHA256.
//
// Invariant: A Reader only returns complete messages in order, written by the owner of the key
// that the handshake authenticated.
package noise
