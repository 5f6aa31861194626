// Package ecdsa verifies ECDSA signatures over secp256k1 faster than btcec, which core
// uses if it has no other verifier. It does not sign. Its time depends on
// the inputs, so all inputs must be public.
//
// The arithmetic of the field is gnark-crypto's. A scalar is split in two of 128 bits by the
// curve's endomorphism (Gallant, Lambert, Vanstone: "Faster Point Multiplication on Elliptic
// Curves with Efficient Endomorphisms"). For the base point, and for public keys that sign
// often, it keeps tables, with which a multiplication needs no doublings. Other keys use
// window non-adjacent forms.
//
// Invariant: the verdict is the same as btcec's, for every input.
package ecdsa
