// Package peers has the methods of the node API about other nodes: peers of Lightning
// coins, and the versions that nodes report.
//
// Source: Komodo DeFi Framework's lightning and lp_stats.
package peers
