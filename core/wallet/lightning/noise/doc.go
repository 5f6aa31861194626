// Package noise is the transport of Lightning: a handshake of three acts in which both
// sides prove who they are, and encrypted messages whose keys change every 500 of them.
// It knows no socket, no time and no message's meaning: whoever reads the acts gives up
// on those that do not come.
//
// The cipher is x/crypto's, HKDF the standard library's, the curve is behind Key. The
// protocol between them is here because libraries of Noise keep to themselves the
// chaining key that the change of keys needs.
//
// Source: BOLT 8, Encrypted and Authenticated Transport: Noise_XK_secp256k1_ChaChaPoly_SHA256.
//
// Invariant: a message is given out only if it is whole, in its order, and was written
// by the owner of the key that the handshake has proved.
package noise
