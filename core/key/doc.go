// Package key turns a passphrase or a WIF into the one secp256k1 key of a node
// and signs with it. It knows no address, no coin and no transaction.
//
// Sources: Komodo DeFi Framework crypto/src/privkey.rs and
// mm2_bitcoin/keys/src/private.rs (passphrase rules and error texts), komodod
// chainparams.cpp (WIF version 188), RFC 6979 (nonces), BIP 62 (low S), BIP 66
// (DER).
//
// Invariant: a secret leaves this package by Secret and WIF alone; whatever prints, logs or
// marshals a Private shows a fixed word.
package key
