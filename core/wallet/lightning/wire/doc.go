// Package wire turns the messages by which Lightning nodes hold a connection into bytes
// and back: init, ping and pong, error and warning, TLV streams, feature bits, and the
// answers to questions for channels that this node does not know. Messages about
// channels and payments have a name here and no more.
//
// Sources: BOLT 1, Base Protocol; BOLT 7, P2P Node and Channel Discovery; BOLT 9,
// Assigned Feature Flags.
//
// Invariant: what a decoder takes has no more elements than its bytes, and nothing of a
// stranger's text is shown but printable ASCII.
package wire
