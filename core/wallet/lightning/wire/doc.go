// Package wire encodes and decodes the messages that keep a connection of Lightning nodes
// alive: init, ping and pong, error and warning, TLV streams, feature bits, and replies to
// queries for unknown channels. For messages about channels and payments it only defines the
// types.
//
// Sources: BOLT 1, Base Protocol; BOLT 7, P2P Node and Channel Discovery; BOLT 9,
// Assigned Feature Flags.
//
// Invariant: A decoder never allocates more elements than the message has bytes, and a peer's
// text is reduced to printable ASCII.
package wire
