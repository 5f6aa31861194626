package script

import (
	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/btcec/v2/ecdsa"
)

// ECDSA verifies a signature over secp256k1: whether r and s, which begin with their highest
// byte, sign hash for a public key of 33 or 65 bytes. It is false for a key that is not a point
// of the curve, and for numbers outside 1 to n-1; a high s is good. Several goroutines may call
// it. Every one has to come to the verdicts of NewECDSA's, since a block is valid or not by them.
type ECDSA func(pub []byte, hash, r, s *[32]byte) bool

// NewECDSA returns btcec's verification with a cache of keys: the reference, and what a node
// uses for which its platform has no other.
func NewECDSA() ECDSA { return new(keyCache).verify }

func (c *keyCache) verify(pub []byte, hash, r, s *[32]byte) bool {
	var rn, sn btcec.ModNScalar
	if rn.SetBytes(r) != 0 || sn.SetBytes(s) != 0 {
		return false
	}
	key := c.parse(pub)
	return key != nil && ecdsa.NewSignature(&rn, &sn).Verify(hash[:], key) // which refuses zeroes
}
