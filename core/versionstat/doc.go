// Package versionstat collects which versions a list of nodes runs: the list, the
// collector that asks all of them round after round, and what they answered. It does
// not know how a node is asked: that is a Probe's, natively libp2p.
//
// The list and the answers are kept in the store; whether the collector runs is not.
// The newest 100,000 answers are kept, those of removed nodes too.
//
// Sources: spec, Version-stat node record and States; Komodo DeFi Framework
// mm2_main/src/lp_stats.rs and database/stats_nodes.rs.
//
// Invariant: a round that is stored is stored whole, with one time for all its answers.
package versionstat
