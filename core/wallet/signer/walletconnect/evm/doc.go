// Package evm requests signatures and transactions from wallets on EVM networks, over
// WalletConnect. It verifies signatures of texts. For a transaction, wallets return only the
// hash; the caller looks the transaction up.
//
// Sources: EIP-191 (personal_sign), WalletConnect's JSON-RPC methods for Ethereum.
//
// Invariant: every returned signature was made by the account over the text.
package evm
