// Package hardware implements the accounts of hardware wallets on EVM networks and on chains of
// the Cosmos family. It asks a device for the key at a path, and to show and sign transactions
// and texts. The node sends the signed transactions. Ledger's devices are used through their
// apps Ethereum and Cosmos; the app Cosmos only signs amino JSON. Trezor's devices are used
// only on EVM networks.
//
// Sources: the sources of packages ledger and trezor; EIP-191 (personal_sign) and ADR-036 for
// texts.
//
// Invariant: The key of an account is requested from the device once, only signatures by this
// key are returned, and a document that devices cannot show is not sent to them.
package hardware
