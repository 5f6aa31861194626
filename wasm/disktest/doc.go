// Package disktest tests the store on a file system that JavaScript provides:
// native/test/worker runs the tests in a Durable Object. It contains no code of
// the node, only tests.
//
// Source: core/store/storetest, the contract of every store.
//
// Invariant: the tests use one flat folder, OBVERSE_STORE_FOLDER or a temporary one.
package disktest
