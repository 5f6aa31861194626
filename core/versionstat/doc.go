// Package versionstat collects the versions of a list of nodes. It holds the list, a collector
// that asks all nodes in rounds, and the answers. It asks a node with a Probe, which uses
// libp2p on native platforms.
//
// The list and the answers are kept in the store; the state of the collector is not. The newest
// 100,000 answers are kept, including answers of removed nodes.
//
// Sources: spec, Version-stat node record and States; Komodo DeFi Framework
// mm2_main/src/lp_stats.rs and database/stats_nodes.rs.
//
// Invariant: A round is stored completely or not at all, with the same time for all its
// answers.
package versionstat
