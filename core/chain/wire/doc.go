// Package wire turns bytes into transactions and blocks and back: legacy v1 and
// v2, Overwinter v3 and Sapling v4 transactions, and blocks with Komodo headers.
// It knows no script, no rule and no chain.
//
// Sources: komodod primitives/transaction.h and primitives/block.h, ZIP 202, ZIP
// 243, Zcash protocol specification 7.
//
// Invariant: whatever decodes encodes to the same bytes, and no decoder allocates
// more than a small multiple of the bytes it was given.
package wire
