// Package keyring keeps what belongs to a node's wallet on the token chain: its keys, the
// redeem scripts and addresses that users add, and the names of addresses.
//
// The first key is the node's. New keys are derived from it with BIP 32: the seed is the secret
// of the node's key, and the paths are m/44'/141'/0'/0/n for addresses that are shown to others
// and m/44'/141'/0'/1/n for change. So the node's recovery phrase restores all of them: the
// ring watches the next Lookahead keys of each branch, and Find looks for coins that they had.
// Imported keys, scripts, watched addresses and names are rows in the store, encrypted with a
// key that is derived from the node's; the names of the rows show nothing either.
//
// It builds and judges no transactions, and knows no coins.
//
// Invariant: a key, script or name that a method returned or took is durable before the method
// returns, so that no crash makes coins unspendable that were paid to it.
package keyring
