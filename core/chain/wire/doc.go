// Package wire decodes and encodes transactions and blocks: legacy v1 and v2, Overwinter v3 and
// Sapling v4 transactions, and blocks with Komodo headers. It does not know scripts, rules or
// the chain.
//
// Sources: komodod primitives/transaction.h and primitives/block.h, ZIP 202, ZIP 243, Zcash
// protocol specification 7.
//
// Invariant: decoded data encodes to the same bytes, and a decoder allocates at most a small
// multiple of the size of its input.
package wire
