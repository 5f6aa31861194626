// Package peerid reads and writes the ids of libp2p peers: the hash of a public key,
// or a short key itself. It knows no network and checks no key.
//
// Sources: the libp2p specification, peer-ids; libp2p-identity 0.2 (what is an id, and
// the reasons for which a text is none, letter by letter); multiformats' multihash,
// CID and multibase.
//
// Invariant: an ID that is not zero came from a multihash that libp2p takes for a
// peer's, and its text reads back as the same ID.
package peerid
