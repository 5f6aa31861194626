// Package evm asks wallets over WalletConnect to sign texts and send transactions on EVM
// networks. A text's signature is verified; of a transaction the wallet tells only the
// hash, which the caller looks up.
//
// Sources: EIP-191 (personal_sign), WalletConnect's JSON-RPC methods for Ethereum.
//
// Invariant: no signature is returned that is not the account's of the text.
package evm
