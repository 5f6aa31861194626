// Package wire encodes and decodes transactions of EVM networks in RLP, and computes the hash
// to be signed and the signer.
//
// Sources: Ethereum's yellow paper, appendix B (RLP) and F (signatures); EIP-155, EIP-1559,
// EIP-2718 and EIP-2930.
//
// Invariant: Decode accepts only the canonical encoding that networks accept.
package wire
