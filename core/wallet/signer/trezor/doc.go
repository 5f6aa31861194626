// Package trezor signs for EVM networks with Trezor's devices: their messages over reports
// of USB or over Trezor Bridge, PINs and passphrases that a person types at the host, and
// the sessions in which a device keeps a passphrase. It never sees a private key, and hands
// no signature out that does not belong to what was asked for.
//
// It was tested with an emulator that Trezor's own client library accepts, and with no
// physical device.
//
// Sources: trezor/trezor-firmware docs/common/communication, common/protob (messages of
// 2025), python/src/trezorlib; trezor/trezord-go README.md; npm @trezor/transport 1.6.3,
// @trezor/protobuf 1.5.3, @trezor/connect 9.7.3.
//
// Not had here: the encrypted protocol that devices from 2025 on speak over Bluetooth, and
// the signed definitions by which a device shows tokens and young networks in words; without
// them it shows the contract's data and the network's number.
//
// Invariant: a signature that is handed out verifies under the public key and over the
// message that the caller gave.
package trezor
