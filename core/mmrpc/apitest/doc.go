// Package apitest tests complete nodes through the node API. It covers the vectors of node
// states, external wallets and HD wallets, and checks that no method reveals a secret. It
// contains only tests.
package apitest
