package key

import (
	"encoding/hex"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/rpc/recording"
)

func publicHex(p *Private) string {
	pub := p.PublicKey()
	return hex.EncodeToString(pub[:])
}

func TestVectorsPassphrase(t *testing.T) {
	for _, data := range recording.Read(t, "testdata", "OBVERSE_VECTORS", "passphrases.json") {
		var cases []struct{ Name, Passphrase, Secret, Pub string }
		require.NoError(t, json.Unmarshal(data, &cases))
		require.NotEmpty(t, cases)
		for _, c := range cases {
			t.Run(c.Name, func(t *testing.T) {
				p, err := FromPassphrase(c.Passphrase)
				require.NoError(t, err)
				require.Equal(t, c.Pub, publicHex(p))
				if c.Secret != "" {
					secret := p.scalar.open().Key.Bytes()
					require.Equal(t, c.Secret, hex.EncodeToString(secret[:]))
				}
			})
		}
	}
}

type komododKey struct{ Priv, WIF, Pub string }

func komododKeys(t *testing.T) map[string]komododKey {
	t.Helper()
	byPub := map[string]komododKey{}
	for _, data := range recording.Read(t, "testdata", "OBVERSE_KOMODOD", "keys.json") {
		var keys map[string]komododKey
		require.NoError(t, json.Unmarshal(data, &keys))
		for _, k := range keys {
			byPub[k.Pub] = k
		}
	}
	require.NotEmpty(t, byPub)
	return byPub
}

func TestKomododKeys(t *testing.T) {
	for pub, want := range komododKeys(t) {
		fromHex, err := FromPassphrase("0x" + want.Priv)
		require.NoError(t, err)
		fromWIF, err := ParseWIF(want.WIF)
		require.NoError(t, err)
		require.Equal(t, fromHex, fromWIF)
		require.Equal(t, pub, publicHex(fromWIF))
		require.Equal(t, want.WIF, fromHex.WIF())
	}
}

// TestKomododSignatures recreates komodod's signatures byte for byte.
func TestKomododSignatures(t *testing.T) {
	keys := komododKeys(t)
	for _, data := range recording.Read(t, "testdata", "OBVERSE_KOMODOD", "cc-vectors.json") {
		var file struct {
			Vectors []struct {
				Name   string
				Signed []struct {
					Condition  condition `json:"condition_signed"`
					SignedHash string    `json:"signed_hash"`
				}
			}
		}
		require.NoError(t, json.Unmarshal(data, &file))
		checked := 0
		for _, v := range file.Vectors {
			for _, s := range v.Signed {
				hash, err := hex.DecodeString(s.SignedHash)
				require.NoError(t, err)
				checked += s.Condition.requireSignatures(t, v.Name, keys, [32]byte(hash))
			}
		}
		require.NotZero(t, checked)
	}
}

type condition struct {
	PublicKey, Signature string
	Subfulfillments      []condition
}

// requireSignatures signs with every known key in the tree that has a signature, compares the
// signatures, and returns their number.
func (c condition) requireSignatures(t *testing.T, name string, keys map[string]komododKey, hash [32]byte) int {
	t.Helper()
	checked := 0
	for _, sub := range c.Subfulfillments {
		checked += sub.requireSignatures(t, name, keys, hash)
	}
	want, err := hex.DecodeString(c.Signature)
	require.NoError(t, err)
	pub, err := hex.DecodeString(c.PublicKey)
	require.NoError(t, err)
	k, known := keys[hex.EncodeToString(pub)]
	if !known || len(want) == 0 {
		return checked
	}
	p, err := ParseWIF(k.WIF)
	require.NoError(t, err)
	got := p.SignCompact(hash)
	require.Equal(t, want, got[:], name)
	return checked + 1
}
