package tx

import (
	"crypto/sha256"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/btcec/v2/ecdsa"
)

// Signature is r, then s, as chains and wallets write it.
type Signature [64]byte

// parse reads the numbers of a signature. Chains take low ones only.
func (s Signature) parse() (*ecdsa.Signature, bool) {
	var r, low btcec.ModNScalar
	overflow := r.SetByteSlice(s[:32])
	overflow = low.SetByteSlice(s[32:]) || overflow
	if overflow || r.IsZero() || low.IsZero() || low.IsOverHalfOrder() {
		return nil, false
	}
	return ecdsa.NewSignature(&r, &low), true
}

// verifies reports whether a signature is the key's, of the SHA-256 of a document.
func (s Signature) verifies(public [33]byte, doc []byte) bool {
	parsed, sound := s.parse()
	point, err := btcec.ParsePubKey(public[:])
	if !sound || err != nil {
		return false
	}
	hash := sha256.Sum256(doc)
	return parsed.Verify(hash[:], point)
}

// signers are the keys, four at most, that could have made a signature.
func (s Signature) signers(doc []byte) (keys [][33]byte) {
	if _, sound := s.parse(); !sound {
		return nil
	}
	hash := sha256.Sum256(doc)
	const compressed = 27 + 4 // how the form of 65 bytes begins
	for recovery := range byte(4) {
		point, _, err := ecdsa.RecoverCompact(append([]byte{compressed + recovery}, s[:]...), hash[:])
		if err == nil {
			keys = append(keys, [33]byte(point.SerializeCompressed()))
		}
	}
	return keys
}
