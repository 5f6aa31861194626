package script

import (
	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/btcec/v2/ecdsa"
)

// checkSignatureEncoding refuses a signature, with its hash type at the end, that
// is not strict DER, and what flags forbid. No signature at all is fine: it is the
// short way to a false check.
func checkSignatureEncoding(sig []byte, flags Flags) error {
	switch {
	case len(sig) == 0:
		return nil
	case !isStrictDER(sig):
		return ErrSigDER
	case flags&LowS != 0 && hasHighS(sig):
		return ErrSigHighS
	case flags&StrictEnc != 0 && !isDefinedHashType(sig[len(sig)-1]):
		return ErrSigHashType
	}
	return nil
}

// isStrictDER reports whether sig has the form 30 len 02 len R 02 len S hashtype, with R and S
// positive and without needless zeros (BIP 66).
func isStrictDER(sig []byte) bool {
	n := len(sig)
	if n < 9 || n > 73 || sig[0] != 0x30 || int(sig[1]) != n-3 {
		return false
	}
	lenR := int(sig[3])
	if 5+lenR >= n {
		return false
	}
	lenS := int(sig[5+lenR])
	return lenR+lenS+7 == n &&
		sig[2] == 0x02 && isPositiveInteger(sig[4:4+lenR]) &&
		sig[4+lenR] == 0x02 && isPositiveInteger(sig[6+lenR:6+lenR+lenS])
}

func isPositiveInteger(b []byte) bool {
	if len(b) == 0 || b[0]&0x80 != 0 {
		return false
	}
	return len(b) == 1 || b[0] != 0 || b[1]&0x80 != 0
}

// splitDER parts a strict signature, with or without its hash type, into R and S.
func splitDER(sig []byte) (r, s []byte) {
	lenR := int(sig[3])
	lenS := int(sig[5+lenR])
	return sig[4 : 4+lenR], sig[6+lenR : 6+lenR+lenS]
}

// hasHighS reports whether S is above half the order. It returns false for an S that is not a
// scalar: upstream's parser then sees zero.
func hasHighS(sig []byte) bool {
	_, b := splitDER(sig)
	s, ok := parseInteger(b)
	return ok && isHigh(&s)
}

// isHigh reports whether s is above half the order. It returns false for a number that is not a
// scalar.
func isHigh(s *[32]byte) bool {
	var n btcec.ModNScalar
	return n.SetBytes(s) == 0 && n.IsOverHalfOrder()
}

func isDefinedHashType(hashType byte) bool {
	base := hashType &^ SigHashAnyoneCanPay
	return base >= SigHashAll && base <= SigHashSingle
}

// isPlainKey reports whether pub has one of the two forms of key that StrictEnc allows.
func isPlainKey(pub []byte) bool {
	return isKeySize(pub) && pub[0] <= 4
}

// isKeySize reports whether pub has the length that its first byte requires: 33 bytes after 2
// or 3, 65 after 4 and, for the hybrid form, 6 or 7. It does not check the point.
func isKeySize(pub []byte) bool {
	if len(pub) == 0 {
		return false
	}
	switch pub[0] {
	case 2, 3:
		return len(pub) == 33
	case 4, 6, 7:
		return len(pub) == 65
	}
	return false
}

// verifyDER verifies a strict DER signature without hash type. Both values of S
// are good.
func (verify ECDSA) verifyDER(pub, der []byte, hash *[32]byte) bool {
	rBytes, sBytes := splitDER(der)
	r, rOK := parseInteger(rBytes)
	s, sOK := parseInteger(sBytes)
	return rOK && sOK && verify(pub, hash, &r, &s)
}

// verifyCompact verifies a signature of a condition: 64 bytes, r and s, with a compressed key.
// Like libsecp256k1 it takes only the lower s.
func (verify ECDSA) verifyCompact(pub, sig []byte, hash *[32]byte) bool {
	if len(pub) != btcec.PubKeyBytesLenCompressed || len(sig) != 64 {
		return false
	}
	r, s := [32]byte(sig[:32]), [32]byte(sig[32:])
	return !isHigh(&s) && verify(pub, hash, &r, &s)
}

// parseInteger reads a positive DER integer of at most 256 bits.
func parseInteger(b []byte) (n [32]byte, ok bool) {
	if len(b) > 0 && b[0] == 0 {
		b = b[1:]
	}
	if len(b) > len(n) {
		return n, false
	}
	copy(n[len(n)-len(b):], b)
	return n, true
}

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
