// Package cosmos has the accounts of wallets that were paired over WalletConnect, on chains of
// the Cosmos family: it requests the wallet's key on a chain, and signatures. The package verifies what can be verified: an address matches its key, and a
// signature was made by the requested key over the document that the wallet returned. Callers
// must check that this document does what they requested, since wallets change fees.
//
// Sources: WalletConnect's JSON-RPC methods for Cosmos (cosmos_getAccounts, cosmos_signDirect,
// cosmos_signAmino), Cosmos SDK (SignDoc, StdSignDoc). Requests encode bytes in base64, like
// Keplr, Leap and cosmos-kit. Responses of wallets may use other encodings.
//
// Invariant: every returned signature was verified.
package cosmos
