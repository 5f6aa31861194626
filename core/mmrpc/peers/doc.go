// Package peers implements the methods of the node API for other nodes: the peers of Lightning
// coins, and the versions that nodes report.
//
// Source: Komodo DeFi Framework's lightning and lp_stats.
package peers
