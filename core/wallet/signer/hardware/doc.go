// Package hardware has the accounts of hardware wallets on EVM networks and on chains of the
// Cosmos family: it asks a device for the key at a path, and to show and sign transactions
// and texts. The node sends what the device signs. Ledger's devices are asked through their
// apps Ethereum and Cosmos, which signs amino JSON only, and Trezor's directly, on EVM
// networks only.
//
// Sources: those of packages ledger and trezor; EIP-191 (personal_sign) and ADR-036 for texts.
//
// Invariant: the key of an account is requested from the device once, nothing that another
// key signed is returned, and a document that no device can show is sent to no device.
package hardware
