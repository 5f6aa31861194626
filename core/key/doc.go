// Package key turns a passphrase, a WIF or a BIP 39 mnemonic into the secp256k1 keys
// of a node and signs with them. It knows no address, no coin and no transaction.
//
// Secrets are overwritten by Wipe as far as Go allows: copies that the runtime, the
// curve library or the hash functions made, and the text that a key came from, are
// out of reach.
//
// Sources: Komodo DeFi Framework crypto/src/{privkey,global_hd_ctx}.rs and
// mm2_bitcoin/keys/src/private.rs (passphrase rules and error texts), komodod
// chainparams.cpp (WIF version 188), BIP 32, BIP 39 and BIP 44 (HD wallets), RFC 6979
// (nonces), BIP 62 (low S), BIP 66 (DER).
//
// Invariant: a secret leaves this package by Private.Secret, Private.WIF and
// Identity.Private alone; whatever prints, logs or marshals a key
// shows a fixed word.
package key
