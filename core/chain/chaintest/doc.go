// Package chaintest builds small chains for tests: keys whose secrets are known,
// transactions signed with them, and blocks that a chain.Manager accepts.
//
// It is not part of the node: only tests import it, and an error in it fails the test. The keys
// are K1 to K3 of the recordings of komodod.
//
// Invariant: the same calls make the same bytes, since times derive from heights
// and signatures are deterministic (RFC 6979).
package chaintest
