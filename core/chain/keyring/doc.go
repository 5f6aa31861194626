// Package keyring stores the keys of a node's wallet on the token chain, the redeem scripts and
// addresses that users add, and the names of addresses.
//
// The first key is the node's key. New keys are derived from it with BIP 32. The seed is the
// secret of the node's key, and the paths are m/44'/141'/0'/0/n for receiving addresses and
// m/44'/141'/0'/1/n for change. The node's recovery phrase therefore restores all of them: the
// ring watches the next Lookahead keys of each branch, and Find searches for coins that they
// received. Imported keys, scripts, watched addresses and names are rows in the store,
// encrypted with a key that is derived from the node's key. The names of the rows reveal
// nothing either.
//
// The package neither builds nor checks transactions, and has no data about coins.
//
// Invariant: A key, script or name is durable before a method that returns or accepts it
// returns, so that a crash cannot make coins unspendable that were paid to it.
package keyring
