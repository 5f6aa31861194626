package key

import (
	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/btcec/v2/ecdsa"
)

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

// SignDER signs a 32-byte hash and returns the DER encoding of r and s. The
// nonce is RFC 6979's, so that one key and one hash always give the same bytes,
// and s is at most half the curve order.
func (p *Private) SignDER(hash [32]byte) []byte {
	return ecdsa.Sign(p.scalar.open(), hash[:]).Serialize()
}

// SignCompact signs like SignDER and returns r and s as 32 bytes each, the form
// that crypto-conditions and block solutions carry.
func (p *Private) SignCompact(hash [32]byte) [64]byte {
	sig := ecdsa.Sign(p.scalar.open(), hash[:])
	r, s := sig.R(), sig.S()
	var out [64]byte
	r.PutBytesUnchecked(out[:32])
	s.PutBytesUnchecked(out[32:])
	return out
}

// Wipe overwrites the secret. A wiped key keeps its public key and must not sign.
func (p *Private) Wipe() { p.scalar.open().Zero() }
