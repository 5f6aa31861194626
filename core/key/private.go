package key

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/btcec/v2/ecdsa"
	"github.com/btcsuite/btcd/btcutil/base58"
)

// ErrPoint reports 33 bytes that are not a public key.
var ErrPoint = errors.New("not a compressed public key on the curve")

// Private is a secp256k1 private key with its public key. The zero value is not a valid key;
// use FromPassphrase or ParseWIF.
type Private struct {
	unprintable
	scalar sealed[btcec.PrivateKey]
	public [33]byte
}

// newPrivate returns the key with a big-endian secret, which must be in the range [1, n-1].
func newPrivate(secret [32]byte) (*Private, error) {
	var s btcec.ModNScalar
	overflow := s.SetBytes(&secret)
	if overflow != 0 || s.IsZero() {
		return nil, ErrInvalidSecret
	}
	scalar := btcec.PrivKeyFromScalar(&s)
	return &Private{scalar: seal(scalar), public: [33]byte(scalar.PubKey().SerializeCompressed())}, nil
}

// PublicKey returns the compressed public key: 02 or 03, followed by x in big-endian order.
func (p *Private) PublicKey() [33]byte { return p.public }

// Secret returns the secret scalar in big-endian order, for deriving other secrets from it.
func (p *Private) Secret() [32]byte { return p.scalar.open().Key.Bytes() }

// Sign signs a 32-byte hash. The nonce is that of RFC 6979, so the same key and hash always
// result in the same signature.
func (p *Private) Sign(hash [32]byte) Signature {
	compact := ecdsa.SignCompact(p.scalar.open(), hash[:], true)
	return Signature{R: [32]byte(compact[1:33]), S: [32]byte(compact[33:]), Recovery: compact[0] - compactBase}
}

// compactBase is the number that SignCompact adds to the recovery code of a compressed key.
const compactBase = 27 + 4

// SignDER is like Sign, and returns the DER encoding of r and s.
func (p *Private) SignDER(hash [32]byte) []byte { return p.Sign(hash).DER() }

// SignCompact is like Sign, and returns r followed by s, which is the form used in
// crypto-conditions and block solutions.
func (p *Private) SignCompact(hash [32]byte) [64]byte { return p.Sign(hash).Compact() }

// ECDH returns the secret shared with the owner of a public key: the SHA-256 of the compressed
// product, as in BOLT 8 and libsecp256k1. It does not run in constant time, because the curve
// library has no such operation. The error is ErrPoint.
func (p *Private) ECDH(public [33]byte) ([32]byte, error) {
	theirs, err := btcec.ParsePubKey(public[:])
	if err != nil {
		return [32]byte{}, ErrPoint
	}
	var point, product btcec.JacobianPoint
	theirs.AsJacobian(&point)
	btcec.ScalarMultNonConst(&p.scalar.open().Key, &point, &product)
	product.ToAffine()
	return sha256.Sum256(btcec.NewPublicKey(&product.X, &product.Y).SerializeCompressed()), nil
}

// Wipe overwrites the secret. Afterwards the key still has its public key, but must not be used
// to sign.
func (p *Private) Wipe() { p.scalar.open().Zero() }

const (
	wifVersion      = 188 // version byte of Komodo and all asset chains
	compressedMark  = 1   // follows the secret if the public key is compressed
	maxWIFText      = 52  // maximum length of 38 bytes in base58
	checksumLen     = 4
	uncompressedLen = 1 + 32 + checksumLen
	compressedLen   = 1 + 32 + 1 + checksumLen
)

// WIF returns the private key in wallet import format with version byte 188, like komodod's
// dumpprivkey.
func (p *Private) WIF() string {
	secret := p.scalar.open().Key.Bytes()
	return base58.CheckEncode(append(secret[:], compressedMark), wifVersion)
}

// ParseWIF parses a compressed key with any version byte, since users have WIF keys of various
// coins. For a text of another form it returns ErrNotWIF.
func ParseWIF(text string) (*Private, error) {
	if len(text) > maxWIFText {
		return nil, ErrNotWIF
	}
	data := base58.Decode(text)
	if !hasWIFShape(data) {
		return nil, ErrNotWIF
	}
	body, sum := data[:len(data)-checksumLen], data[len(data)-checksumLen:]
	if want := doubleSHA256(body); !bytes.Equal(want[:checksumLen], sum) {
		return nil, ErrChecksum
	}
	if len(data) == uncompressedLen {
		return nil, ErrUncompressed
	}
	return newPrivate([32]byte(body[1:33]))
}

func hasWIFShape(data []byte) bool {
	switch len(data) {
	case uncompressedLen:
		return true
	case compressedLen:
		return data[33] == compressedMark
	}
	return false
}

func doubleSHA256(b []byte) [32]byte {
	first := sha256.Sum256(b)
	return sha256.Sum256(first[:])
}

// Signature is an ECDSA signature of secp256k1. S is at most half the curve order.
type Signature struct {
	R, S     [32]byte // in big-endian order
	Recovery byte     // number from 0 to 3 that selects the signer's key among the possible ones
}

// DER returns the encoding used in Bitcoin's scripts.
func (s Signature) DER() []byte {
	var r, half btcec.ModNScalar
	r.SetBytes(&s.R)
	half.SetBytes(&s.S)
	return ecdsa.NewSignature(&r, &half).Serialize()
}

// Compact returns r followed by s.
func (s Signature) Compact() [64]byte { return [64]byte(append(s.R[:], s.S[:]...)) }

// Recoverable returns r, s and the recovery number, without the 27, or 35 plus twice the chain
// id, that Ethereum adds to it.
func (s Signature) Recoverable() [65]byte {
	compact := s.Compact()
	return [65]byte(append(compact[:], s.Recovery))
}

// redacted is printed in place of a key.
const redacted = "[private key]"

// unprintable makes a struct that embeds it print a fixed text.
type unprintable struct{}

// String returns a fixed text.
func (unprintable) String() string { return redacted }

// GoString returns a fixed text.
func (unprintable) GoString() string { return redacted }

// Format prints a fixed text for every verb.
func (unprintable) Format(f fmt.State, _ rune) { fmt.Fprint(f, redacted) }

// MarshalText returns a fixed text.
func (unprintable) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// MarshalJSON returns a fixed text.
func (unprintable) MarshalJSON() ([]byte, error) { return []byte(`"` + redacted + `"`), nil }

// sealed hides a secret from fmt. For unexported fields of other structs, fmt ignores methods
// and follows one pointer (%!t(*T=&{…})), but not two.
type sealed[T any] struct{ at **T }

func seal[T any](secret *T) sealed[T] { return sealed[T]{&secret} }

func (s sealed[T]) open() *T { return *s.at }

// Generate returns a key that consists of 32 bytes read from random, for temporary use such as
// a connection. Bytes that are not a valid key are skipped, which happens with a probability of
// 2^-128.
func Generate(random io.Reader) (*Private, error) {
	var secret [32]byte
	defer clear(secret[:])
	for {
		if _, err := io.ReadFull(random, secret[:]); err != nil {
			return nil, fmt.Errorf("make a key: source of randomness: %w", err)
		}
		if p, err := newPrivate(secret); err == nil {
			return p, nil
		}
	}
}

// LightningNode returns the Lightning node key of p, which is the key at m/0' of a wallet with
// p's secret as its seed. LDK's KeysManager derives a node's key in the same way. Komodo DeFi
// Framework (coins/lightning/ln_utils.rs) uses the node's secret as the seed as well, so its
// users keep their node id. The error is ErrNoChild.
func (p *Private) LightningNode() (*Private, error) {
	seed := p.Secret()
	defer clear(seed[:])
	root, err := masterKey(seed[:])
	if err != nil {
		return nil, err
	}
	defer root.wipe()
	return root.at(Path{Hardened})
}

// FromSecret returns the key of a scalar, big-endian. The error is ErrInvalidSecret.
func FromSecret(secret [32]byte) (*Private, error) { return newPrivate(secret) }

// ImportWIF reads a key with one version byte, and reports whether it has the compressed public
// key. Every text that is not such a key is ErrNotWIF or ErrInvalidSecret.
func ImportWIF(text string, version byte) (p *Private, compressed bool, err error) {
	if len(text) > maxWIFText {
		return nil, false, ErrNotWIF
	}
	body, v, err := base58.CheckDecode(text)
	compressed = len(body) == 33 && body[32] == compressedMark
	if err != nil || v != version || !compressed && len(body) != 32 {
		return nil, false, ErrNotWIF
	}
	p, err = newPrivate([32]byte(body[:32]))
	return p, compressed, err
}

// UncompressedWIF is WIF for a key with the uncompressed public key.
func (p *Private) UncompressedWIF() string {
	secret := p.scalar.open().Key.Bytes()
	return base58.CheckEncode(secret[:], wifVersion)
}

// UncompressedPublicKey returns the public key as 04, x and y, big-endian.
func (p *Private) UncompressedPublicKey() [65]byte {
	return [65]byte(p.scalar.open().PubKey().SerializeUncompressed())
}
