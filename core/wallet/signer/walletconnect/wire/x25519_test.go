package wire

import (
	"crypto/ecdh"
	"crypto/rand"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestX25519Vectors uses the test vectors of RFC 7748, section 5.2.
func TestX25519Vectors(t *testing.T) {
	for _, c := range [][3]string{
		{"a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4", "e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c",
			"c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552"},
		{"4b66e9d4d1b4673c5ad22691957d6af5c11b6421e0ea01d42ca4169e7918ba0d", "e5210f12786811d3f4b7959d0538ae2c31dbe7106fc03c3efc4cd549c715a493",
			"95cbde9476e8907d7aade45cb4b873f88b595a68799fa152e6f8f7647aac7957"},
	} {
		got, err := x25519(key32(t, c[0]), key32(t, c[1]))
		require.NoError(t, err)
		require.Equal(t, key32(t, c[2]), got)
	}
	k := [32]byte{9}
	u, before := k, k
	for range 1000 {
		next, err := x25519(k, u)
		require.NoError(t, err)
		k, u = next, k
	}
	require.NotEqual(t, before, k)
	require.Equal(t, key32(t, "684cf59ba83309552800ef566f2f4d3c1c3887c49360e3875f2eb94d99532c51"), k)
}

// agreed checks that both libraries return the same results for a key and a point.
func agreed(t testing.TB, scalar, point [32]byte) {
	t.Helper()
	ours, err := x25519(scalar, point)
	require.NoError(t, err)
	private, err := ecdh.X25519().NewPrivateKey(scalar[:])
	require.NoError(t, err)
	public, err := ecdh.X25519().NewPublicKey(point[:])
	require.NoError(t, err)
	theirs, err := private.ECDH(public)
	if err != nil { // the point is of low order
		theirs = make([]byte, 32)
	}
	require.Equal(t, theirs, ours[:])
}

func TestX25519IsTheStandardLibrarys(t *testing.T) {
	for range 200 {
		var scalar, point [32]byte
		_, _ = rand.Read(scalar[:]) // never fails
		_, _ = rand.Read(point[:])
		agreed(t, scalar, point)
	}
	p := [32]byte{0xed}
	for n := range 30 {
		p[n+1] = 0xff
	}
	p[31] = 0x7f
	for n := range 40 { // near the prime, and points of low order
		edge := p
		edge[0] += byte(n - 20)
		agreed(t, [32]byte{1}, edge)
		agreed(t, [32]byte{1}, [32]byte{byte(n)})
	}
	agreed(t, [32]byte{1}, key32(t, "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800"))
	agreed(t, [32]byte{1}, key32(t, "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157"))
}
