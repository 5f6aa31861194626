// Package eip1193 implements accounts in EIP-1193 wallets, browser extensions such as
// MetaMask: through the page it asks the wallet for its account on a network, to sign texts
// and to send transactions, and verifies every result that can be verified. It contains no
// browser code; the page's half, which finds the wallet by EIP-6963, is
// web/src/wallet/eip1193.js.
//
// Sources: EIP-1193, EIP-1102 (eth_requestAccounts), EIP-3326 and EIP-3085 (switching to
// and adding networks), EIP-191 (personal_sign).
//
// Invariant: every returned signature of a text is the account's; every transaction passed
// to the wallet is for the account's network.
package eip1193
