// Package vectorservers has the servers that the vectors of the node API name, for tests that
// play them on a whole node: nodes of made-up chains, services for NFTs, a Lightning node, and
// addresses that refuse or ignore connections. Only tests use it.
//
// Sources: core/mmrpc/mmrpctest for the answers of the servers.
//
// Invariant: every server listens on a free port of this machine and ends with its test.
package vectorservers
