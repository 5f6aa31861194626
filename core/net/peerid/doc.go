// Package peerid reads and writes the ids of libp2p peers: the hash of a public key, or a short
// key itself. It uses no network and does not check keys.
//
// Sources: the libp2p specification, peer-ids; libp2p-identity 0.2 (the format, and the exact
// error texts); multiformats' multihash, CID and multibase.
//
// Invariant: an ID that is not zero came from a multihash that libp2p accepts as a peer id, and
// its text reads back as the same ID.
package peerid
