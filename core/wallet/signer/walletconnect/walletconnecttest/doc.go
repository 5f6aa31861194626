// Package walletconnecttest provides the peers for tests of sessions: an in-memory relay, and a
// scripted wallet that can also violate the protocol.
//
// Invariant: the relay stores unconfirmed messages, and never sends a client its own.
package walletconnecttest
