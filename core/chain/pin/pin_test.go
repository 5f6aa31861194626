package pin

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain/params"
	"obverse/core/store"
	"obverse/core/store/bunt"
)

var alice, bob = [33]byte{2, 1}, [33]byte{3, 2}

func memoryStore(t *testing.T) *bunt.DB {
	db, err := bunt.Open(bunt.Memory)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

// chain returns komodod's default options with some of them changed.
func chain(t *testing.T, options map[string]string) params.Options {
	o := params.Defaults()
	for key, value := range options {
		require.NoError(t, o.Set(key, value))
	}
	return o
}

func TestStore(t *testing.T) {
	kv, options := memoryStore(t), chain(t, map[string]string{"ac_name": "OWN"})
	none := [33]byte{}
	pinned, err := Store(t.Context(), kv, options, none)
	require.NoError(t, err)
	require.Equal(t, none, pinned, "a node without a key pins the chain alone")
	for _, producer := range [][33]byte{alice, alice, none} {
		pinned, err = Store(t.Context(), kv, options, producer)
		require.NoError(t, err)
		require.Equal(t, alice, pinned)
	}
	_, err = Store(t.Context(), kv, options, bob)
	require.ErrorIs(t, err, ErrOtherChain)
	_, err = Store(t.Context(), kv, chain(t, nil), alice)
	require.ErrorIs(t, err, ErrOtherChain)
	pinned, err = Store(t.Context(), kv, options, none)
	require.NoError(t, err)
	require.Equal(t, alice, pinned, "a refusal changes nothing")
}

func TestVersions(t *testing.T) {
	for format, want := range map[string]error{"1": nil, "2": nil, "3": nil, "4": ErrNewerStore, "x": ErrNewerStore} {
		kv := memoryStore(t)
		_, err := Store(t.Context(), kv, chain(t, nil), alice)
		require.NoError(t, err)
		var batch store.Batch
		batch.Put(keyVersion, format)
		require.NoError(t, store.Apply(t.Context(), kv, batch))
		_, err = Store(t.Context(), kv, chain(t, nil), alice)
		require.ErrorIs(t, err, want, format)
		if want == nil {
			found, err := kv.Get(t.Context(), keyVersion)
			require.NoError(t, err)
			require.Equal(t, "3", found[0].Data)
		}
	}
}

// TestOtherChainSaysHowToGoOn checks that a pinned store can be opened with the settings in the
// error message.
func TestOtherChainSaysHowToGoOn(t *testing.T) {
	for _, started := range []map[string]string{
		{"ac_name": "OTHER", "ac_cc": "2", "ac_supply": "7", "regtest": "true"},
		{"ac_name": "OWN"},
		{"ac_name": "X", "ac_nk": "48,5", "ac_reward": "5,6", "ac_end": "10,0"},
	} {
		kv := memoryStore(t)
		_, err := Store(t.Context(), kv, chain(t, started), alice)
		require.NoError(t, err)
		_, err = Store(t.Context(), kv, chain(t, map[string]string{"ac_name": "ANOTHER"}), alice)
		require.ErrorIs(t, err, ErrOtherChain)
		_, way, found := strings.Cut(err.Error(), "; start with ")
		require.True(t, found)
		settings, _, found := strings.Cut(way, ", or use another data folder")
		require.True(t, found)
		again := map[string]string{}
		for word := range strings.FieldsSeq(settings) {
			key, value, _ := strings.Cut(word, "=")
			again[strings.TrimPrefix(key, "chain.")] = value
		}
		_, err = Store(t.Context(), kv, chain(t, again), alice)
		require.NoError(t, err)
	}
}
