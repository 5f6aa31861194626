package chain_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain"
	"obverse/core/chain/chaintest"
	"obverse/core/store"
)

// TestAudit changes one record without the chain's knowledge and checks that the next start
// refuses the store.
func TestAudit(t *testing.T) {
	for name, c := range map[string]struct {
		table string
		byte  int // index of the byte in the data in which a bit is flipped
	}{
		"a coin's value":    {"c", 6},
		"a token output":    {"w", 0},
		"a token's balance": {"q", 0},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "chain.db")
			made, shut := onFile(t, path)
			defer shut()
			base := begin(t, made)
			base.branch("a").write(made.Tip().Hash, 3)
			open := func() error {
				_, err := chain.Open(t.Context(), chain.Config{Store: made.Store, Params: made.Params(), HeaderRules: chaintest.AnyProducer{}, Now: chaintest.Now})
				return err
			}
			require.NoError(t, open())

			entries, err := made.Store.Scan(t.Context(), c.table, "", 1000)
			require.NoError(t, err)
			require.NotEmpty(t, entries)
			for _, e := range []store.Entry{entries[0], entries[len(entries)-1]} {
				data := []byte(e.Data)
				data[c.byte] ^= 4
				var b store.Batch
				b.Put(e.Key, string(data))
				require.NoError(t, store.Apply(t.Context(), made.Store, b))
				require.ErrorIs(t, open(), chain.ErrCorrupt)
				b.Put(e.Key, e.Data)
				require.NoError(t, store.Apply(t.Context(), made.Store, b))
				require.NoError(t, open())
			}
		})
	}
}

// TestLeafWithoutAHash checks that a leaf record with a malformed key is reported as an error
// and is not read.
func TestLeafWithoutAHash(t *testing.T) {
	for _, name := range []string{"x", "xshort", "x" + string(make([]byte, 33))} {
		made, shut := onFile(t, filepath.Join(t.TempDir(), "chain.db"))
		begin(t, made)
		var b store.Batch
		b.Put(name, "1")
		require.NoError(t, store.Apply(t.Context(), made.Store, b))
		_, err := chain.Open(t.Context(), chain.Config{Store: made.Store, Params: made.Params(), HeaderRules: chaintest.AnyProducer{}, Now: chaintest.Now})
		require.ErrorIs(t, err, chain.ErrCorrupt)
		require.ErrorContains(t, err, fmt.Sprintf("leaf: key has %d bytes, want 33", len(name)))
		shut()
	}
}
