// Package cc implements crypto-conditions: the conditions that lock outputs, and the
// fulfillments that unlock them. It handles their encoding, fingerprints, costs and signatures.
// It does not know scripts, transactions or the meaning of eval codes.
//
// Source: draft-thomas-crypto-conditions-03 with komodod's kinds secp256k1 and eval
// (src/cryptoconditions). RSA is recognised and refused, as in komodod.
//
// Invariant: decoded data encodes to the same bytes, so that no one can change a transaction's
// id by encoding its fulfillments differently.
package cc
