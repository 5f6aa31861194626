// Package wire turns transactions of EVM networks into bytes and back: RLP, the hash that
// is signed, and who signed. It knows no node, no coin and no key.
//
// Sources: Ethereum's yellow paper, appendix B (RLP) and F (signatures); EIP-155, EIP-1559,
// EIP-2718 and EIP-2930.
//
// Invariant: bytes that Decode takes are in the only form that a network takes.
package wire
