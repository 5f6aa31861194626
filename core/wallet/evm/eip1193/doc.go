// Package eip1193 has the accounts of wallets that speak EIP-1193, which are extensions of
// a user's browser such as MetaMask: it asks the wallet, through the page that it is in,
// for its account on a network, and to sign texts and send transactions. It believes it
// nothing that can be checked. It knows no browser; the page's half, which finds the
// wallet as EIP-6963 has it, is web/src/wallet/eip1193.js.
//
// Sources: EIP-1193, EIP-1102 (eth_requestAccounts), EIP-3326 and EIP-3085 (switching to
// networks, and teaching them), EIP-191 (personal_sign).
//
// Invariant: a text's signature that is given is the account's; a transaction that is
// given away is for the account's network.
package eip1193
