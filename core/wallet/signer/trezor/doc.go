// Package trezor signs for EVM networks with Trezor's devices. It implements their messages
// over USB reports and over Trezor Bridge, PINs and passphrases that a user enters at the host,
// and the sessions in which a device keeps a passphrase. It never has a private key, and only
// returns signatures that match the request.
//
// It was tested with an emulator that Trezor's own client library accepts, but not with a
// physical device.
//
// Sources: trezor/trezor-firmware docs/common/communication, common/protob (messages of
// 2025), python/src/trezorlib; trezor/trezord-go README.md; npm @trezor/transport 1.6.3,
// @trezor/protobuf 1.5.3, @trezor/connect 9.7.3.
//
// The package does not support the encrypted protocol that devices since 2025 use over
// Bluetooth, and has no signed definitions with which a device shows tokens and new networks in
// words. Without them, a device shows the contract's data and the chain id.
//
// Invariant: A returned signature is valid for the public key and the message of the caller.
package trezor
