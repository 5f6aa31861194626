package ecdsa

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/cryptobyte"
	"golang.org/x/crypto/cryptobyte/asn1"

	"obverse/core/chain/script"
)

// TestWycheproof checks the 996 cases of Wycheproof's ecdsa_secp256k1_sha256_test.json and
// ecdsa_secp256k1_sha512_test.json (0.9rc5). The file has the hash of the message instead of the
// message, and ECDSA uses its first 32 bytes.
func TestWycheproof(t *testing.T) {
	raw, err := os.ReadFile("testdata/wycheproof.json")
	require.NoError(t, err)
	var cases []struct {
		Name, Key, Hash, DER string
		Valid                bool
	}
	require.NoError(t, json.Unmarshal(raw, &cases))
	require.Len(t, cases, 996)
	v, reference := New(), script.NewECDSA()
	valid := 0
	for _, c := range cases {
		r, s, ok := splitDER(t, unhex(t, c.DER))
		hash := [32]byte(unhex(t, c.Hash))
		require.Equal(t, c.Valid, ok && reference(unhex(t, c.Key), &hash, &r, &s), "btcec: %s", c.Name)
		for range 2 { // first with a new key, then with a cached one
			require.Equal(t, c.Valid, ok && v.Verify(unhex(t, c.Key), &hash, &r, &s), c.Name)
		}
		if c.Valid {
			valid++
		}
	}
	require.Equal(t, 397, valid)
}

func splitDER(t *testing.T, der []byte) (r, s [32]byte, ok bool) {
	t.Helper()
	var rBytes, sBytes []byte
	input, inner := cryptobyte.String(der), cryptobyte.String(nil)
	ok = input.ReadASN1(&inner, asn1.SEQUENCE) && input.Empty() &&
		inner.ReadASN1Integer(&rBytes) && inner.ReadASN1Integer(&sBytes) && inner.Empty() &&
		len(rBytes) <= 32 && len(sBytes) <= 32
	copy(r[max(0, 32-len(rBytes)):], rBytes)
	copy(s[max(0, 32-len(sBytes)):], sBytes)
	return r, s, ok
}

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	require.NoError(t, err)
	return b
}
