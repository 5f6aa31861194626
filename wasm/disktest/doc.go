// Package disktest has the tests of the store on a file system that JavaScript offers, for
// wherever that is: native/test/worker runs them in a Durable Object. It holds no code of
// the node, and only tests are in it.
//
// Source: core/store/storetest, the contract of every store.
//
// Invariant: the tests use one flat folder, OBVERSE_STORE_FOLDER or a temporary one.
package disktest
