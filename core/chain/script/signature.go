package script

import (
	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/btcec/v2/ecdsa"

	"obverse/core/chain/cc"
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

// isStrictDER tells the form 30 len 02 len R 02 len S hashtype with R and S
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

// hasHighS is false for an S that is no scalar: upstream's parser then sees zero.
func hasHighS(sig []byte) bool {
	_, b := splitDER(sig)
	s, ok := parseScalar(b)
	return ok && s.IsOverHalfOrder()
}

func isDefinedHashType(hashType byte) bool {
	base := hashType &^ SigHashAnyoneCanPay
	return base >= SigHashAll && base <= SigHashSingle
}

// isPlainKey tells the two forms of key that StrictEnc allows.
func isPlainKey(pub []byte) bool {
	return isKeySize(pub) && pub[0] <= 4
}

// isKeySize tells a key as long as its first byte says: 33 bytes after 2 or 3, 65
// after 4 and, for the hybrid form, 6 or 7. The point itself is not looked at.
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
func (c *keyCache) verifyDER(pub, hash, der []byte) bool {
	key := c.parse(pub)
	if key == nil {
		return false
	}
	rBytes, sBytes := splitDER(der)
	r, rOK := parseScalar(rBytes)
	s, sOK := parseScalar(sBytes)
	return rOK && sOK && ecdsa.NewSignature(&r, &s).Verify(hash, key)
}

// verifyCompact verifies a signature of a condition.
func (c *keyCache) verifyCompact(pub, hash, sig []byte) bool {
	if len(pub) != btcec.PubKeyBytesLenCompressed {
		return false
	}
	key := c.parse(pub)
	return key != nil && cc.VerifyCompact(key, hash, sig)
}

// parseScalar reads a positive DER integer below the group order.
func parseScalar(b []byte) (n btcec.ModNScalar, ok bool) {
	if len(b) > 0 && b[0] == 0 {
		b = b[1:]
	}
	if len(b) > 32 {
		return n, false
	}
	overflow := n.SetByteSlice(b)
	return n, !overflow
}
