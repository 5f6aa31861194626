// Package session has the accounts of wallets that were paired over WalletConnect, on EVM
// networks: the accounts that the session names, texts that the wallet signs and
// transactions that it sends. What the wallet answers is checked in walletconnect/evm; what
// it sent is looked up on the network, in evm/tx.
//
// Invariant: the wallet is asked nothing before something is to be signed.
package session
