// Package wallets opens named wallets: recovery phrases, each encrypted with the password
// of its wallet. It has no key of a wallet that is open, and knows no method.
//
// Source: Komodo DeFi Framework mm2_main/src/lp_wallet.rs, for what a config with a name,
// a password and a passphrase does, and for the texts of errors, which its clients search.
//
// Invariant: a wallet's file is replaced whole or not at all, and nothing is removed or
// changed without the wallet's password.
package wallets
