// Package cc holds crypto-conditions: the locks of condition outputs and the
// fulfillments that open them. It knows their bytes, fingerprints, costs and
// signatures, and nothing of scripts, transactions or what an eval code means.
//
// Source: draft-thomas-crypto-conditions-03 with komodod's kinds secp256k1 and eval
// (src/cryptoconditions). RSA is recognised and refused, as upstream has it.
//
// Invariant: whatever decodes encodes to the same bytes, so that no one can change
// a transaction's id by writing its fulfillments another way.
package cc
