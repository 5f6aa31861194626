// Package lightning says what the peers of a Lightning node are: their ids and
// addresses, how a connection to one fails, what is known of one, and which of them the
// user trusts. It opens no connection: link does, for whoever is a Network.
//
// A page loads this package and neither link, noise nor wire, since it has no raw TCP.
//
// Sources: spec, Lightning peer link; BOLT 1 and BOLT 8; Komodo DeFi Framework
// coins/rpc_command/lightning and coins/lightning/ln_p2p.rs for the texts of errors.
//
// Invariant: a NodeID is a point of the curve, wherever its text came from.
package lightning
