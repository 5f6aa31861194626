// Package noise is the transport of Lightning: a handshake of three acts in which both sides
// authenticate, followed by encrypted messages with keys that change every 500 messages. It has
// no sockets, timeouts or knowledge of the messages; the caller reads the acts and limits the
// time for them.
//
// The cipher comes from x/crypto, HKDF from the standard library, and the curve from Key. The
// protocol is implemented here because libraries of Noise do not export the chaining key, which
// the key rotation needs.
//
// Source: BOLT 8, Encrypted and Authenticated Transport: Noise_XK_secp256k1_ChaChaPoly_SHA256.
//
// Invariant: a Reader only returns messages that are complete, in order, and written by the
// owner of the key that the handshake authenticated.
package noise
