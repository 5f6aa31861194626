package key

import (
	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/btcec/v2/ecdsa"
)

// Signature is an ECDSA signature of secp256k1. S is at most half the curve order.
type Signature struct {
	R, S     [32]byte // big-endian
	Recovery byte     // 0 to 3: which of the keys that fit is the signer's
}

// DER is the encoding that Bitcoin's scripts take.
func (s Signature) DER() []byte {
	var r, half btcec.ModNScalar
	r.SetBytes(&s.R)
	half.SetBytes(&s.S)
	return ecdsa.NewSignature(&r, &half).Serialize()
}

// Compact is r, then s.
func (s Signature) Compact() [64]byte { return [64]byte(append(s.R[:], s.S[:]...)) }

// Recoverable is r, s, and the recovery number: what Ethereum adds 27, or twice the
// chain id and 35, to.
func (s Signature) Recoverable() [65]byte {
	compact := s.Compact()
	return [65]byte(append(compact[:], s.Recovery))
}
