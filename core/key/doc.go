// Package key derives the secp256k1 keys of a node from a passphrase, a WIF or a BIP 39
// mnemonic, and signs with them. It does not know addresses, coins or transactions.
//
// Wipe overwrites secrets as far as Go allows: it cannot reach the copies that the runtime, the
// curve library or the hash functions made, nor the text from which a key was derived.
//
// Sources: Komodo DeFi Framework crypto/src/{privkey,global_hd_ctx}.rs and
// mm2_bitcoin/keys/src/private.rs (passphrase rules and error texts), komodod chainparams.cpp
// (WIF version 188), BIP 32, BIP 39 and BIP 44 (HD wallets), RFC 6979 (nonces), BIP 62 (low S),
// BIP 66 (DER).
//
// Invariant: only Private.Secret, Private.WIF and Identity.Private return a secret. Printing,
// logging or marshaling a key results in a fixed text.
package key
