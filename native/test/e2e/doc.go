// Package e2e has the tests of the whole program and its benchmarks: they build
// the binary, run it as users do, kill it, and ask it over HTTP. It holds no code
// of the node, and only tests are in it.
//
// Source: spec, "Starting it"; the form of the ready line and of exit codes is
// package main's.
//
// Invariant: a test looks at the node from outside (files, output, HTTP); what it
// has to sign it signs with the key whose passphrase it gave to the node.
package e2e
