// Package servertest provides servers of the node API for the tests of its areas: with simple
// coins, with the coins of two Cosmos chains, and with the coins of two EVM networks. Only
// tests use it.
package servertest
