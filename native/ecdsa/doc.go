// Package ecdsa verifies ECDSA signatures over secp256k1 in less time than btcec, which core
// uses where no other verifier is given to it. It signs nothing: it takes different times for
// different inputs, and all of them have to be public.
//
// The arithmetic of the field is gnark-crypto's. A scalar is split in two of 128 bits by the
// curve's endomorphism (Gallant, Lambert, Vanstone: "Faster Point Multiplication on Elliptic
// Curves with Efficient Endomorphisms"). For the base point and for public keys that sign
// often, there are tables with which a product costs no doublings; other keys take a ladder of
// window non-adjacent forms.
//
// Invariant: a verdict is btcec's, for every input.
package ecdsa
