// Package peerid parses and formats the ids of libp2p peers. An id is the hash of a public key,
// or a short key itself. The package uses no network and does not validate keys.
//
// Sources: the libp2p specification, peer-ids; libp2p-identity 0.2 (the format, and the exact
// error texts); multiformats' multihash, CID and multibase.
//
// Invariant: a nonzero ID was created from a multihash that libp2p accepts as a peer id, and
// parsing its text results in the same ID.
package peerid

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/btcsuite/btcd/btcutil/base58"
)

// Multihash codes, and limits of a digest's length.
const (
	identityCode = 0x00
	sha256Code   = 0x12
	maxInline    = 42 // longer keys are hashed
	maxDigest    = 64
)

// maxText exceeds the length of a multihash in any base but 16.
const maxText = 128

// ErrMultihash reports bytes that are not exactly one multihash.
var ErrMultihash = errors.New("invalid multihash")

// UnsupportedCodeError reports a multihash of a kind that does not identify peers.
type UnsupportedCodeError uint64

func (e UnsupportedCodeError) Error() string {
	return fmt.Sprintf("unsupported multihash code '%d'", uint64(e))
}

// ID identifies a peer. IDs can be compared with ==. The zero ID does not identify a peer.
type ID struct{ multihash string }

// Parse parses the text of an id: a multihash in base58btc (12D3KooW…, Qm…), or a CIDv1 of
// libp2p-key in base32, base36, base58btc or base16 (bafz…, k51…). The error is the reason why
// the text is not a multihash in base58btc: a *Base58Error, ErrMultihash or an
// UnsupportedCodeError.
func Parse(text string) (ID, error) {
	id, err := parseBase58(text)
	if err == nil {
		return id, nil
	}
	if id, ok := parseCID(text); ok {
		return id, nil
	}
	return ID{}, err
}

func parseBase58(text string) (ID, error) {
	if err := checkBase58(text); err != nil {
		return ID{}, err
	}
	if len(text) > maxText {
		return ID{}, ErrMultihash
	}
	return FromBytes(base58.Decode(text))
}

// FromBytes parses a multihash. The error is ErrMultihash or an UnsupportedCodeError.
func FromBytes(multihash []byte) (ID, error) {
	code, rest, ok := uvarint(multihash)
	if !ok {
		return ID{}, ErrMultihash
	}
	size, digest, ok := uvarint(rest)
	if !ok || size > maxDigest || size != uint64(len(digest)) {
		return ID{}, ErrMultihash
	}
	if code != sha256Code && (code != identityCode || size > maxInline) {
		return ID{}, UnsupportedCodeError(code)
	}
	return ID{string(multihash)}, nil
}

// uvarint decodes an unsigned varint, which must have the minimum length.
func uvarint(b []byte) (n uint64, rest []byte, ok bool) {
	n, used := binary.Uvarint(b)
	if used <= 0 || used > 1 && b[used-1] == 0 {
		return 0, nil, false
	}
	return n, b[used:], true
}

// ed25519Prefix is the beginning of the protocol buffer of a libp2p public key: type 1, 32
// bytes.
const ed25519Prefix = "\x08\x01\x12\x20"

// FromEd25519 returns the id of a peer with this public key.
func FromEd25519(public [32]byte) ID {
	encoded := EncodeEd25519(public)
	return ID{string(append([]byte{identityCode, byte(len(encoded))}, encoded...))}
}

// EncodeEd25519 returns a public key in libp2p's encoding: 08 01 12 20, followed by the key.
func EncodeEd25519(public [32]byte) []byte { return append([]byte(ed25519Prefix), public[:]...) }

// Bytes returns the multihash.
func (id ID) Bytes() []byte { return []byte(id.multihash) }

// String returns the multihash in base58btc, which is the usual text of an id. For the zero ID,
// it returns "".
func (id ID) String() string { return base58.Encode([]byte(id.multihash)) }
