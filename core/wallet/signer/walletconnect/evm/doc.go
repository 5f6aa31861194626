// Package evm has the accounts of wallets that were paired over WalletConnect, on EVM networks:
// the accounts that the session names, texts that the wallet signs and transactions that it
// sends. No request is sent before something is to be signed. The package verifies signatures of texts. For a transaction, wallets return only the
// hash; the caller looks the transaction up.
//
// Sources: EIP-191 (personal_sign), WalletConnect's JSON-RPC methods for Ethereum.
//
// Invariant: every returned signature was made by the account over the text.
package evm
