// Package peerid reads and writes the ids of libp2p peers: the hash of a public key, or a short
// key itself. It uses no network and does not check keys.
//
// Sources: the libp2p specification, peer-ids; libp2p-identity 0.2 (the format, and the exact
// error texts); multiformats' multihash, CID and multibase.
//
// Invariant: an ID that is not zero came from a multihash that libp2p accepts as a peer id, and
// its text reads back as the same ID.
package peerid

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/btcsuite/btcd/btcutil/base58"
)

// Codes of multihash, and how long a digest may be.
const (
	identityCode = 0x00
	sha256Code   = 0x12
	maxInline    = 42 // longer keys are hashed
	maxDigest    = 64
)

// maxText is longer than any text of a multihash, in any base but 16.
const maxText = 128

// ErrMultihash says that the bytes are not one whole multihash.
var ErrMultihash = errors.New("invalid multihash")

// UnsupportedCodeError says that a multihash is not one of those that name peers.
type UnsupportedCodeError uint64

func (e UnsupportedCodeError) Error() string {
	return fmt.Sprintf("unsupported multihash code '%d'", uint64(e))
}

// ID names a peer. IDs are compared with ==; the zero ID names none.
type ID struct{ multihash string }

// Parse reads the text of an id: a multihash in base58btc (12D3KooW…, Qm…), or a
// CIDv1 of libp2p-key in base32, base36, base58btc or base16 (bafz…, k51…). The error
// reports why the text is no multihash in base58btc: a *Base58Error, ErrMultihash or an
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

// FromBytes reads a multihash. The error is ErrMultihash or an UnsupportedCodeError.
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

// uvarint reads an unsigned varint, which must not be longer than it needs to be.
func uvarint(b []byte) (n uint64, rest []byte, ok bool) {
	n, used := binary.Uvarint(b)
	if used <= 0 || used > 1 && b[used-1] == 0 {
		return 0, nil, false
	}
	return n, b[used:], true
}

// ed25519Prefix begins the protocol buffer of a libp2p public key: type 1, 32 bytes.
const ed25519Prefix = "\x08\x01\x12\x20"

// FromEd25519 returns the id of a peer with this public key.
func FromEd25519(public [32]byte) ID {
	encoded := EncodeEd25519(public)
	return ID{string(append([]byte{identityCode, byte(len(encoded))}, encoded...))}
}

// EncodeEd25519 returns a public key as libp2p writes it: 08 01 12 20, then the key.
func EncodeEd25519(public [32]byte) []byte { return append([]byte(ed25519Prefix), public[:]...) }

// Bytes returns the multihash.
func (id ID) Bytes() []byte { return []byte(id.multihash) }

// String returns the multihash in base58btc, the usual text of an id. The zero ID is "".
func (id ID) String() string { return base58.Encode([]byte(id.multihash)) }
