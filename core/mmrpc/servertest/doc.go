// Package servertest has servers of the node API for the tests of its areas: with coins that
// do little, with coins of two Cosmos chains, and with those of two EVM networks. Only tests
// use it.
package servertest
