// Package walletfile encrypts a recovery phrase with a password, in the format of the
// wallet files of Komodo DeFi Framework: a file of one opens in the other. It knows
// neither names of wallets nor where their files are.
//
// Two keys come from the password by Argon2id with a salt each. The first encrypts the
// phrase with AES-256 in CBC mode and PKCS #7 padding. The second authenticates
// ciphertext and IV with HMAC-SHA-256, which is checked before anything is decrypted.
//
// Source: Komodo DeFi Framework crypto/src/{mnemonic,encrypt,decrypt,key_derivation}.rs;
// RFC 9106 (Argon2), PHC string format (the base64 of salts).
//
// Invariant: a file with one bit changed does not open.
package walletfile
