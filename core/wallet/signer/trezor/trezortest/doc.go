// Package trezortest emulates Trezor's devices for tests: it holds keys of its own, asks
// for a PIN and a passphrase, shows what it signs, and does what a test's user decides. It
// is reached over reports, as emulators of the vendor's firmware are over UDP, and over the
// requests of Trezor Bridge.
//
// Trezor's client library takes it for a device: native/trezor.
package trezortest
