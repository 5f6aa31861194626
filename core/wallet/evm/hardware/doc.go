// Package hardware has the accounts of hardware wallets on EVM networks: it asks a device for
// the key at a coin's path, and to show and sign transactions and texts. The node sends what
// the device signs. Ledger's devices are asked through their app Ethereum, Trezor's directly.
//
// Sources: those of packages ledger and trezor; EIP-191 (personal_sign).
//
// Invariant: an account whose key is known is not asked for it again, and nothing that
// another key signed is handed out.
package hardware
