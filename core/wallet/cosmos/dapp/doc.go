// Package dapp describes and executes what programs of others ask of an account on a Cosmos
// chain: signatures of documents, in both of the ways that wallets sign. The program sends
// the transaction itself. Package core/wallet/dapp has the requests.
//
// Sources: Cosmos SDK (SignDoc, StdSignDoc), ADR-027, ADR-036 (signed texts); CosmJS
// (OfflineSigner) and Keplr for the forms of requests and results.
//
// Invariant: nothing is in a signed document that was not described, but bytes of messages
// of which a person is told that they are unknown.
package dapp
