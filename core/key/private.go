package key

import (
	"crypto/sha256"
	"errors"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/btcec/v2/ecdsa"
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

// PublicKey is the compressed public key: 02 or 03, then x big-endian.
func (p *Private) PublicKey() [33]byte { return p.public }

// Secret is the scalar itself, big-endian, for what has to derive from it.
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

// ECDH is the secret that the owner of this key shares with the owner of a public
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
