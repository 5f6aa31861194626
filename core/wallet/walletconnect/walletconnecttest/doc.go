// Package walletconnecttest has the two things that tests of sessions need besides this
// end: a relay in memory, and a wallet that does as it is told, also what no wallet should.
//
// Invariant: the relay keeps what was not confirmed, and sends a client nothing of its own.
package walletconnecttest
