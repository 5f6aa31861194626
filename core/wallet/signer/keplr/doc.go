// Package keplr implements accounts in Keplr and compatible wallets, which are browser
// extensions: through the page it asks the wallet for its key on a chain and for signatures,
// and verifies every result. It contains no browser code; the page's half is
// web/src/wallet/keplr.js.
//
// Sources: Keplr's documentation (enable, getKey, signDirect, signAmino, signArbitrary,
// experimentalSuggestChain); ADR-036 for texts.
//
// Invariant: a returned account has the address that the wallet shows its user, on the
// requested chain.
package keplr
