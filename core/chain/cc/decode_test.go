package cc

import (
	"bytes"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// standardSpend returns a fulfillment of a token output, with an eval code and one key, and the
// signed hash.
func standardSpend(t testing.TB) (fulfillment, hash []byte) {
	t.Helper()
	signed := komododVectors(t)[0].Signed[0]
	return unhex(t, signed.Encoded.Fulfillment), unhex(t, signed.SignedHash)
}

func TestCorruptedSpend(t *testing.T) {
	good, hash := standardSpend(t)
	n, err := DecodeFulfillment(good)
	require.NoError(t, err)
	condition := n.Condition()
	require.True(t, n.Verify(hash, Checker{Eval: accept}))

	cases := []struct {
		name    string
		offset  int
		was     byte
		becomes byte
		want    error // nil if the bytes decode to another condition, or Verify refuses them
	}{
		{"threshold becomes a primitive", 0, 0xa2, 0x82, ErrMalformed},
		{"threshold becomes RSA", 0, 0xa2, 0xa3, ErrUnsupported},
		{"threshold becomes a kind that is not", 0, 0xa2, 0xa6, ErrMalformed},
		{"threshold becomes a prefix", 0, 0xa2, 0xa1, ErrMalformed},
		{"root shorter", 1, 0x76, 0x75, ErrMalformed},
		{"root longer", 1, 0x76, 0x77, ErrMalformed},
		{"indefinite length", 1, 0x76, 0x80, ErrMalformed},
		{"length of one byte more", 1, 0x76, 0x81, ErrMalformed},
		{"fulfilled set as conditions", 2, 0xa0, 0xa1, ErrMalformed},
		{"fulfilled set one byte shorter", 3, 0x72, 0x71, ErrMalformed},
		{"inner threshold becomes an eval", 4, 0xa2, 0xaf, ErrMalformed},
		{"secp256k1 becomes ed25519", 8, 0xa5, 0xa4, ErrMalformed},
		{"key as field 1", 10, 0x80, 0x81, ErrMalformed},
		{"key one byte longer", 11, 0x21, 0x22, ErrMalformed},
		{"key of the other parity", 12, 0x02, 0x03, nil},
		{"uncompressed key", 12, 0x02, 0x04, nil},
		{"key's x off the curve", 44, 0x75, 0x76, nil},
		{"signature as field 2", 45, 0x81, 0x82, ErrMalformed},
		{"signature one byte shorter", 46, 0x40, 0x3f, ErrMalformed},
		{"r", 47, 0x50, 0x51, nil},
		{"high s", 79, 0x3f, 0xbf, nil},
		{"last byte of s", 110, 0x4a, 0x4b, nil},
		{"no set of conditions", 111, 0xa1, 0xa0, ErrMalformed},
		{"a condition of nothing", 112, 0x00, 0x01, ErrMalformed},
		{"eval becomes a preimage", 113, 0xaf, 0xa0, ErrNotCanonical},
		{"eval becomes RSA", 113, 0xaf, 0xa3, ErrUnsupported},
		{"longer eval", 116, 0x01, 0x02, ErrMalformed},
		{"another eval code", 117, 0xf2, 0xf3, nil},
		{"last set longer", 119, 0x00, 0x01, ErrMalformed},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			bad := bytes.Clone(good)
			require.Equal(t, c.was, bad[c.offset])
			bad[c.offset] = c.becomes
			n, err := DecodeFulfillment(bad)
			if c.want != nil {
				require.ErrorIs(t, err, c.want)
				require.Nil(t, n)
				return
			}
			require.NoError(t, err)
			require.False(t, n.Condition() == condition && n.Verify(hash, Checker{Eval: accept}))
		})
	}
}

func TestAnyByteOfASpendCounts(t *testing.T) {
	good, hash := standardSpend(t)
	n, err := DecodeFulfillment(good)
	require.NoError(t, err)
	condition := n.Condition()
	for i := range good {
		for bit := range 8 {
			bad := bytes.Clone(good)
			bad[i] ^= 1 << bit
			n, err := DecodeFulfillment(bad)
			require.False(t, err == nil && n.Condition() == condition && n.Verify(hash, Checker{Eval: accept}),
				"byte %d bit %d", i, bit)
		}
	}
}

func TestCutFulfillment(t *testing.T) {
	good, _ := standardSpend(t)
	for size := range good {
		_, err := DecodeFulfillment(good[:size])
		require.ErrorIs(t, err, ErrMalformed, "%d bytes", size)
	}
	_, err := DecodeFulfillment(append(bytes.Clone(good), 0))
	require.ErrorIs(t, err, ErrMalformed)
}

// Byte sequences used in the cases below.
const (
	preimageA = "a003800161"
	preimageB = "a003800162"
	fp        = "0000000000000000000000000000000000000000000000000000000000000000"
	hiddenA   = "a0258020" + fp + "810100"
	hiddenB   = "a0258020" + fp + "810101"
)

func TestCanonicalFulfillment(t *testing.T) {
	long := strings.Repeat("61", 128)
	cases := []struct {
		name string
		hex  string
		want error
	}{
		{"members in order", "a20ea00a" + preimageA + preimageB + "a100", nil},
		{"a member twice", "a20ea00a" + preimageA + preimageA + "a100", nil},
		{"members out of order", "a20ea00a" + preimageB + preimageA + "a100", ErrNotCanonical},
		{"conditions in order", "a257a005" + preimageA + "a14e" + hiddenA + hiddenB, nil},
		{"conditions out of order", "a257a005" + preimageA + "a14e" + hiddenB + hiddenA, ErrNotCanonical},
		{"nothing in a threshold", "a204a000a100", nil},
		{"a threshold without conditions", "a207a005" + preimageA, ErrMalformed},
		{"a condition among the fulfilled", "a22ba027" + hiddenA + "a100", ErrMalformed},
		{"a fulfillment among the conditions", "a209a000a105" + preimageA, ErrMalformed},
		{"hidden RSA", "a230a005" + preimageA + "a127a3" + hiddenA[2:], ErrUnsupported},
		{"long length", "a08183" + "8180" + long, ErrMalformed},
		{"long length in its form", "a08183" + "808180" + long, nil},
		{"long form of a short length", "a0810380" + "0161", ErrNotCanonical},
		{"two bytes for a length of one", "a0820084" + "80820080" + long, ErrNotCanonical},
		{"length of four bytes", "a08400000003" + "800161", ErrMalformed},
		{"length over the end", "a083ffffff800161", ErrMalformed},
		{"prefix", "a10d800161810101a205" + preimageA, nil},
		{"prefix with two numbers for one", "a10e80016181020001a205" + preimageA, ErrNotCanonical},
		{"prefix with a needed zero", "a10e80016181020080a205" + preimageA, nil},
		{"prefix with a negative number", "a10d8001618101ffa205" + preimageA, ErrMalformed},
		{"prefix without a number", "a10c8001618100a205" + preimageA, ErrMalformed},
		{"prefix with a number of nine bytes", "a115" + "800161" + "8109" + "00ffffffffffffffff" + "a205" + preimageA,
			ErrMalformed},
		{"prefix of two", "a112800161810101a20a" + preimageA + preimageB, ErrMalformed},
		{"prefix of none", "a108800161810101a200", ErrMalformed},
		{"prefix with another field", "a10f800161810101a205" + preimageA + "8300", ErrMalformed},
		{"eval with a parameter", "af058001f28100", ErrMalformed},
		{"empty eval", "af028000", nil},
		{"empty", "", ErrMalformed},
		{"a tag alone", "a0", ErrMalformed},
		{"multi-byte tag", "bf0003800161", ErrMalformed},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			b := unhex(t, c.hex)
			n, err := DecodeFulfillment(b)
			require.ErrorIs(t, err, c.want)
			if c.want == nil {
				again, err := n.Encode()
				require.NoError(t, err)
				require.Equal(t, b, again)
			}
		})
	}
}

func TestCanonicalCondition(t *testing.T) {
	compound := func(subtypes string) string {
		body := "8020" + fp + "810100" + subtypes
		return "a2" + hex.EncodeToString([]byte{byte(len(body) / 2)}) + body
	}
	cases := []struct {
		name string
		hex  string
		want error
	}{
		{"simple", hiddenA, nil},
		{"RSA", "a3" + hiddenA[2:], ErrUnsupported},
		{"unknown kind", "a6" + hiddenA[2:], ErrMalformed},
		{"compound", compound("82020780"), nil},
		{"two bytes of subtypes", compound("8203000401"), nil},
		{"four bytes of subtypes", compound("82050000000001"), nil},
		{"five bytes of subtypes", compound("8206000000000001"), ErrMalformed},
		{"no subtypes", compound("82020700"), nil},
		{"empty bit string", compound("820100"), ErrNotCanonical},
		{"bit string without its first byte", compound("8200"), ErrMalformed},
		{"unused bits not given", compound("82020080"), ErrNotCanonical},
		{"unused bits set", compound("820207c0"), ErrNotCanonical},
		{"zeroes after the last bit", compound("820307" + "8000"), ErrNotCanonical},
		{"compound without subtypes", compound(""), ErrMalformed},
		{"simple with subtypes", "a0" + compound("82020780")[2:], ErrMalformed},
		{"short fingerprint", "a024801f" + fp[2:] + "810100", ErrMalformed},
		{"long fingerprint", "a0268021" + fp + "00810100", ErrMalformed},
		{"long cost", "a0268020" + fp + "81020001", ErrNotCanonical},
		{"greatest cost", "a02c8020" + fp + "81087fffffffffffffff", nil},
		{"negative cost", "a0258020" + fp + "8101ff", ErrMalformed},
		{"bytes after it", hiddenA + "00", ErrMalformed},
		{"cut", hiddenA[:len(hiddenA)-2], ErrMalformed},
		{"empty", "", ErrMalformed},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			b := unhex(t, c.hex)
			condition, err := DecodeCondition(b)
			require.ErrorIs(t, err, c.want)
			if c.want == nil {
				require.Equal(t, b, condition.Encode())
			}
		})
	}
}

func TestLimits(t *testing.T) {
	chain := func(depth int) *Node {
		n := NewEval(0xf2)
		for range depth - 1 {
			n = NewThreshold(1, n)
		}
		return n
	}
	preimage := func(size int) *Node { return &Node{Kind: Preimage, Data: make([]byte, size)} }
	const header = 8 // size of the header of a preimage with 256 to 65535 bytes
	wide := NewThreshold(0)
	for range 2000 {
		wide.Subs = append(wide.Subs, preimage(0))
	}
	wide.Threshold = len(wide.Subs)
	cases := []struct {
		name string
		tree *Node
		want error
	}{
		{"deepest", chain(MaxDepth), nil},
		{"deeper", chain(MaxDepth + 1), ErrTooDeep},
		{"largest", preimage(MaxSize - header), nil},
		{"larger", preimage(MaxSize - header + 1), ErrTooLarge},
		{"many members", wide, nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			b, err := c.tree.Encode()
			require.NoError(t, err)
			n, err := DecodeFulfillment(b)
			require.ErrorIs(t, err, c.want)
			if c.want == nil {
				require.Equal(t, c.tree.Condition(), n.Condition())
			}
		})
	}
}
