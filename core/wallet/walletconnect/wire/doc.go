// Package wire turns what the two ends of a WalletConnect session send each other into
// values and back: the pairing URI, encrypted envelopes, JSON-RPC messages, namespaces and
// metadata. It opens no connection and keeps no state.
//
// Sources: WalletConnect 2.0 specifications (core/crypto: keys and envelopes, core/pairing:
// URI, clients/sign: RPC methods, namespaces, error codes), RFC 7748 (X25519), RFC 5869
// (HKDF), RFC 8439 (ChaCha20-Poly1305), CAIP-2 and CAIP-10 (chains and accounts).
//
// Invariant: every list and text that a decoder returns is bounded, and printing a key
// shows a fixed word.
package wire
