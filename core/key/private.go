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

// ErrPoint says that 33 bytes are no public key.
var ErrPoint = errors.New("not a compressed public key on the curve")

// Private is a secp256k1 private key with its public key. The zero value holds
// no key: get one from FromPassphrase or ParseWIF.
type Private struct {
	unprintable
	scalar sealed[btcec.PrivateKey]
	public [33]byte
}

// newPrivate checks that secret (big-endian) is in [1, n-1], as the curve needs.
func newPrivate(secret [32]byte) (*Private, error) {
	var s btcec.ModNScalar
	overflow := s.SetBytes(&secret)
	if overflow != 0 || s.IsZero() {
		return nil, ErrInvalidSecret
	}
	scalar := btcec.PrivKeyFromScalar(&s)
	return &Private{scalar: seal(scalar), public: [33]byte(scalar.PubKey().SerializeCompressed())}, nil
}

// PublicKey returns the compressed public key: 02 or 03, then x big-endian.
func (p *Private) PublicKey() [33]byte { return p.public }

// Secret returns the scalar itself, big-endian, for what has to derive from it.
func (p *Private) Secret() [32]byte { return p.scalar.open().Key.Bytes() }

// Sign signs a 32-byte hash. The nonce is RFC 6979's, so that one key and one hash
// always give the same signature.
func (p *Private) Sign(hash [32]byte) Signature {
	compact := ecdsa.SignCompact(p.scalar.open(), hash[:], true)
	return Signature{R: [32]byte(compact[1:33]), S: [32]byte(compact[33:]), Recovery: compact[0] - compactBase}
}

// compactBase is the number that SignCompact adds for a compressed key.
const compactBase = 27 + 4

// SignDER signs like Sign and returns the DER encoding of r and s.
func (p *Private) SignDER(hash [32]byte) []byte { return p.Sign(hash).DER() }

// SignCompact signs like Sign and returns r and s, the form that crypto-conditions
// and block solutions carry.
func (p *Private) SignCompact(hash [32]byte) [64]byte { return p.Sign(hash).Compact() }

// ECDH returns the secret that the owner of this key shares with the owner of a public
// key: the SHA-256 of the compressed product, as BOLT 8 and libsecp256k1 have it. Its
// time depends on the numbers, because the curve library has no other way. The error
// is ErrPoint.
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

// Wipe overwrites the secret. A wiped key keeps its public key and must not sign.
func (p *Private) Wipe() { p.scalar.open().Zero() }

const (
	wifVersion      = 188 // Komodo and every asset chain
	compressedMark  = 1   // after the secret: the public key is the compressed one
	maxWIFText      = 52  // what 38 bytes can need in base58
	checksumLen     = 4
	uncompressedLen = 1 + 32 + checksumLen
	compressedLen   = 1 + 32 + 1 + checksumLen
)

// WIF returns the key in wallet import format with version byte 188, as komodod's
// dumpprivkey shows it. It is the secret.
func (p *Private) WIF() string {
	secret := p.scalar.open().Key.Bytes()
	return base58.CheckEncode(append(secret[:], compressedMark), wifVersion)
}

// ParseWIF reads a compressed key with any version byte: users bring the WIF of
// whatever coin they have. A text of another shape is ErrNotWIF.
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
	R, S     [32]byte // big-endian
	Recovery byte     // 0 to 3: which of the keys that fit is the signer's
}

// DER returns the encoding that Bitcoin's scripts take.
func (s Signature) DER() []byte {
	var r, half btcec.ModNScalar
	r.SetBytes(&s.R)
	half.SetBytes(&s.S)
	return ecdsa.NewSignature(&r, &half).Serialize()
}

// Compact returns r, then s.
func (s Signature) Compact() [64]byte { return [64]byte(append(s.R[:], s.S[:]...)) }

// Recoverable returns r, s, and the recovery number: what Ethereum adds 27, or twice the
// chain id and 35, to.
func (s Signature) Recoverable() [65]byte {
	compact := s.Compact()
	return [65]byte(append(compact[:], s.Recovery))
}

// redacted is all that printing a key shows.
const redacted = "[private key]"

// unprintable gives a struct that embeds it forms that show nothing of it.
type unprintable struct{}

// String shows no secret.
func (unprintable) String() string { return redacted }

// GoString shows no secret.
func (unprintable) GoString() string { return redacted }

// Format shows no secret, whatever the verb.
func (unprintable) Format(f fmt.State, _ rune) { fmt.Fprint(f, redacted) }

// MarshalText shows no secret.
func (unprintable) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// MarshalJSON shows no secret.
func (unprintable) MarshalJSON() ([]byte, error) { return []byte(`"` + redacted + `"`), nil }

// sealed keeps a secret where fmt does not find it. fmt ignores methods on the
// unexported fields of other structs and then follows one pointer (%!t(*T=&{…})),
// but not two.
type sealed[T any] struct{ at **T }

func seal[T any](secret *T) sealed[T] { return sealed[T]{&secret} }

func (s sealed[T]) open() *T { return *s.at }

// Generate makes a key of 32 bytes from random, for what lives no longer than a
// connection. Bytes that are no key are passed over, which happens once in 2^128.
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

// LightningNode returns the Lightning node key of p, which is always the same: m/0' of the
// wallet with p's secret as its seed. LDK's KeysManager derives a node's key the same way, and
// Komodo DeFi Framework (coins/lightning/ln_utils.rs) passes the node's secret as its seed, so
// that its users keep their node id. The error is ErrNoChild.
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
