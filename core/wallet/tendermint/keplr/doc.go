// Package keplr has the accounts of Keplr, or of a wallet that can stand in for it, which
// is an extension of a user's browser: it asks the wallet, through the page that it is
// in, for its key on a chain and for signatures, and believes it nothing. It knows no
// browser; the page's half is web/src/wallet/keplr.js.
//
// Sources: Keplr's documentation (enable, getKey, signDirect, signAmino, signArbitrary,
// experimentalSuggestChain); ADR-036 for texts.
//
// Invariant: an account that is given has the address that the wallet shows its user, on
// the chain that was asked for.
package keplr
