// Package walletfile encrypts a recovery phrase with a password, in the format of Komodo DeFi
// Framework's wallet files, so that each program can open the other's files. It does not know
// the names of wallets or the locations of their files.
//
// Two keys are derived from the password by Argon2id, with one salt each. The first key
// encrypts the phrase with AES-256 in CBC mode and PKCS #7 padding. The second key
// authenticates ciphertext and IV with HMAC-SHA-256, which is verified before decryption.
//
// Source: Komodo DeFi Framework crypto/src/{mnemonic,encrypt,decrypt,key_derivation}.rs; RFC
// 9106 (Argon2), PHC string format (the base64 encoding of salts).
//
// Invariant: a file with a flipped bit cannot be decrypted.
package walletfile
