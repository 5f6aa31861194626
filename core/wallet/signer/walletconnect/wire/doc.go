// Package wire encodes and decodes the data that the two ends of a WalletConnect session
// exchange: the pairing URI, encrypted envelopes, JSON-RPC messages, namespaces and metadata.
// It opens no connections and holds no state.
//
// Sources: WalletConnect 2.0 specifications (core/crypto: keys and envelopes, core/pairing:
// URI, clients/sign: RPC methods, namespaces, error codes), RFC 7748 (X25519), RFC 5869
// (HKDF), RFC 8439 (ChaCha20-Poly1305), CAIP-2 and CAIP-10 (chains and accounts).
//
// Invariant: Every list and text that a decoder returns is limited in size, and formatting a
// key never prints it.
package wire
