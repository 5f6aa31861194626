package token

import (
	"obverse/core/chain/cc"
	"obverse/core/chain/script"
)

// Eval is the eval code of the module.
const Eval = 0xf2

// KeySize is the size of a key in a condition. Longer keys are truncated to this size, as
// komodod does with uncompressed keys.
const KeySize = 33

// Key is a public key in conditions and payloads. It may be any 33 bytes, because only a
// signature check parses it (the burn key is not a point on the curve).
type Key [KeySize]byte

// maxKeySize is the size of an uncompressed public key.
const maxKeySize = 65

// serializedSize returns the size of a public key with the given first byte, or 0 if the byte
// is invalid (pubkey.h CPubKey::GetLen).
func serializedSize(b []byte) int {
	if len(b) == 0 {
		return 0
	}
	switch b[0] {
	case 2, 3:
		return KeySize
	case 4, 6, 7:
		return maxKeySize
	}
	return 0
}

// globalKey is the module's own key. Its private key is public. The marker that lists a token
// is its condition.
var globalKey = Key{
	0x03, 0xe6, 0x19, 0x1c, 0x70, 0xc9, 0xc9, 0xa2, 0x8f, 0x9f, 0xd8, 0x70, 0x89, 0xb9, 0x48, 0x8d, 0x0e,
	0x6c, 0x02, 0xfb, 0x62, 0x9d, 0xf6, 0x49, 0x79, 0xc9, 0xcd, 0xb6, 0xb2, 0xb4, 0xa6, 0x8d, 0x95,
}

// burnKey owns burned tokens. It consists of 02, followed by "dead" sixteen times.
var burnKey = Key{
	0x02, 0xde, 0xad, 0xde, 0xad, 0xde, 0xad, 0xde, 0xad, 0xde, 0xad, 0xde, 0xad, 0xde, 0xad, 0xde, 0xad,
	0xde, 0xad, 0xde, 0xad, 0xde, 0xad, 0xde, 0xad, 0xde, 0xad, 0xde, 0xad, 0xde, 0xad, 0xde, 0xad,
}

// GlobalKey returns the module's own key.
func GlobalKey() Key { return globalKey }

// BurnKey returns a key for which no private key can exist.
func BurnKey() Key { return burnKey }

// Condition returns the n-of-n tree {eval(code) for each code…, 1-of-n of the keys}.
// The order of codes does not change the script: fingerprints sort them.
func Condition(codes []byte, keys ...Key) *cc.Node {
	signers := make([]*cc.Node, len(keys))
	for i := range keys {
		signers[i] = cc.NewSecp256k1(keys[i][:])
	}
	parts := make([]*cc.Node, 0, len(codes)+1)
	for _, code := range codes {
		parts = append(parts, cc.NewEval(code))
	}
	parts = append(parts, cc.NewThreshold(1, signers...))
	return cc.NewThreshold(len(parts), parts...)
}

// Script returns the output script that pays to Condition(codes, keys...).
func Script(codes []byte, keys ...Key) []byte {
	return script.PayToCondition(Condition(codes, keys...).Condition())
}

// tokenCodes returns the eval codes of a token condition that is bound to module a and, unless
// it is 0, to module b. It includes f2 (komodod's MakeTokensCCcond1).
func tokenCodes(a, b byte) []byte {
	codes := []byte{a}
	if a != Eval {
		codes = append(codes, Eval)
	}
	if b != 0 {
		codes = append(codes, b)
	}
	return codes
}

// CreateCodes returns the codes of the output that first holds a token. The first byte of a
// non-fungible token's data is the code of the module to which the output is bound, even if
// that byte is 0.
func CreateCodes(data []byte) []byte {
	if len(data) == 0 {
		return tokenCodes(Eval, 0)
	}
	return tokenCodes(data[0], 0)
}

// HolderCodes returns the codes under which balances and transfers look for a token. If the
// data starts with 00 or f2, they differ from CreateCodes, and such a token cannot be found, as
// in komodod.
func HolderCodes(nft byte) []byte { return tokenCodes(Eval, nft) }

// MarkerScript returns the output that lists a token: the condition of the global key.
func MarkerScript() []byte { return Script([]byte{Eval}, globalKey) }

// markerScript is the result of MarkerScript. A test checks that the two agree.
const markerScript = "\x2e\xa2\x2c\x80\x20\x43\x2d\xe3\x88\xaa\xbc\xb6\xb4\xe3\x32\x63\x51\xd1\xd8\x15\xce" +
	"\xe8\xbe\x9a\x8d\x37\xb0\x55\xcd\x1c\x0c\xf8\x78\x2e\x5c\x50\xc0\x81\x03\x12\x0c\x00\x82\x03\x00\x04\x01\xcc"

// IsMarker reports whether pkScript is the marker script.
func IsMarker(pkScript []byte) bool { return string(pkScript) == markerScript }
