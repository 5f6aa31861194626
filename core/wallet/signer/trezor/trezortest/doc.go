// Package trezortest emulates Trezor's devices for tests. A device has keys of its own, asks
// for a PIN and a passphrase, shows the data before it signs, and has a user whose decisions
// the test determines. Clients connect with reports, like to the emulators of the vendor's
// firmware over UDP, or with the requests of Trezor Bridge.
//
// In native/trezor it is tested with Trezor's client library.
package trezortest
