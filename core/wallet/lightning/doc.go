// Package lightning defines types for the peers of a Lightning node: their ids and addresses,
// the state and the errors of connections, and the list of nodes that the user trusts. It opens
// no connections; package link implements Network.
//
// A page cannot use TCP, so it loads this package without link, noise and wire.
//
// Sources: spec, Lightning peer link; BOLT 1 and BOLT 8; Komodo DeFi Framework
// coins/rpc_command/lightning and coins/lightning/ln_p2p.rs for the texts of errors.
//
// Invariant: A NodeID is always a point of the curve.
package lightning
