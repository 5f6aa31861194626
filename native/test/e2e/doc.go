// Package e2e contains the tests and benchmarks of the whole program. They build the binary, run it
// as users do, kill it, and call it over HTTP. The package contains only tests.
//
// Source: package main defines the format of the ready line and the exit codes.
//
// Invariant: a test observes the node from outside, with files, output and HTTP. It signs with the
// key of the passphrase that it passed to the node.
package e2e
