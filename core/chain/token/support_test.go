package token

import (
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/stretchr/testify/require"

	"obverse/core/chain/cc"
	"obverse/core/chain/script"
	"obverse/core/chain/wire"
	"obverse/core/rpc/recording"
)

func decodeAll[T any](t testing.TB, files [][]byte) (all []T) {
	t.Helper()
	for _, b := range files {
		var one T
		require.NoError(t, json.Unmarshal(b, &one))
		all = append(all, one)
	}
	return all
}

// vectors returns the content of each file with a name.
func vectors[T any](t testing.TB, name string) []T {
	t.Helper()
	return decodeAll[T](t, recording.Read(t, "testdata", "OBVERSE_VECTORS", name))
}

// komodod returns the content of each recording with a name.
func komodod[T any](t testing.TB, name string) []T {
	t.Helper()
	return decodeAll[T](t, recording.Read(t, "testdata/komodod", "OBVERSE_KOMODOD", name))
}

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	require.NoError(t, err)
	return b
}

func decodeTx(t testing.TB, s string) *wire.Tx {
	t.Helper()
	tx, err := wire.DecodeTx(unhex(t, s))
	require.NoError(t, err)
	return tx
}

func decodeKey(t testing.TB, s string) Key {
	t.Helper()
	b := unhex(t, s)
	require.Len(t, b, serializedSize(b))
	return Key(b[:KeySize])
}

// recordedKeys returns the keys K1 to K3, which signed the transactions of the recordings.
func recordedKeys(t testing.TB) (keys [3]Key) {
	t.Helper()
	for i, v := range []string{"1", "2", "3"} {
		keys[i] = decodeKey(t, komodod[map[string]struct{ Pub string }](t, "keys.json")[0][v].Pub)
	}
	return keys
}

func addressOf(codes []byte, keys ...Key) string {
	return script.Classify(Script(codes, keys...)).Addresses[0].String()
}

// owner returns the public key of a private key with one repeated byte.
func owner(b byte) *btcec.PublicKey {
	_, pub := btcec.PrivKeyFromBytes([]byte(strings.Repeat(string(rune(b)), 32)))
	return pub
}

func keyOf(b byte) Key { return Key(owner(b).SerializeCompressed()) }

// fulfil returns a scriptSig with a fulfillment of the condition. Its signatures are zeros,
// which no rule of this package verifies.
func fulfil(t testing.TB, tree *cc.Node, signers ...Key) []byte {
	t.Helper()
	for _, key := range signers {
		require.NotZero(t, tree.Fill(key[:], make([]byte, 64)))
	}
	b, err := tree.Encode()
	require.NoError(t, err)
	return script.FulfillCondition(b, script.SigHashAll)
}
