package script

import (
	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/btcec/v2/ecdsa"
)

// checkSignatureEncoding returns an error for a signature, including its hash type, that is not
// strict DER or that the flags forbid. An empty signature is allowed; its check returns false.
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
// positive and without superfluous zeros (BIP 66).
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

// splitDER splits a strict DER signature, with or without its hash type, into R and S.
func splitDER(sig []byte) (r, s []byte) {
	lenR := int(sig[3])
	lenS := int(sig[5+lenR])
	return sig[4 : 4+lenR], sig[6+lenR : 6+lenR+lenS]
}

// hasHighS reports whether S is above half the order. It returns false for an S that is not a
// scalar, which komodod's parser reads as zero.
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

// verifyDER verifies a strict DER signature without its hash type. Low and high values of S are
// accepted.
func (verify ECDSA) verifyDER(pub, der []byte, hash *[32]byte) bool {
	rBytes, sBytes := splitDER(der)
	r, rOK := parseInteger(rBytes)
	s, sOK := parseInteger(sBytes)
	return rOK && sOK && verify(pub, hash, &r, &s)
}

// verifyCompact verifies a signature of a condition: 64 bytes, r and s, with a compressed key.
// Like libsecp256k1, it accepts only the lower s.
func (verify ECDSA) verifyCompact(pub, sig []byte, hash *[32]byte) bool {
	if len(pub) != btcec.PubKeyBytesLenCompressed || len(sig) != 64 {
		return false
	}
	r, s := [32]byte(sig[:32]), [32]byte(sig[32:])
	return !isHigh(&s) && verify(pub, hash, &r, &s)
}

// parseInteger parses a positive DER integer of at most 256 bits.
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

// ECDSA verifies a signature over secp256k1. It reports whether r and s, both big-endian, sign
// hash for a public key of 33 or 65 bytes. It returns false for a key that is not a point on
// the curve and for numbers outside the range 1 to n-1. It accepts a high s. An ECDSA must be
// safe for concurrent use. All implementations must return the same results as NewECDSA, since
// the validity of blocks depends on them.
type ECDSA func(pub []byte, hash, r, s *[32]byte) bool

// NewECDSA returns btcec's verification with a cache of keys. It is the reference
// implementation, and the one used on platforms without another.
func NewECDSA() ECDSA { return new(keyCache).verify }

// VerifySignature reports whether sig, which ends with its hash type, is a strict DER signature of
// hash by a public key.
func VerifySignature(pub, sig []byte, hash [32]byte) bool {
	return isStrictDER(sig) && isKeySize(pub) && NewECDSA().verifyDER(pub, sig[:len(sig)-1], &hash)
}

func (c *keyCache) verify(pub []byte, hash, r, s *[32]byte) bool {
	var rn, sn btcec.ModNScalar
	if rn.SetBytes(r) != 0 || sn.SetBytes(s) != 0 {
		return false
	}
	key := c.parse(pub)
	return key != nil && ecdsa.NewSignature(&rn, &sn).Verify(hash[:], key) // refuses zeros
}
