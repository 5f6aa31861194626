package chain_test

import (
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain"
	"obverse/core/chain/chaintest"
	"obverse/core/store"
)

// laterTables are the tables that stores of format 2 lack.
const laterTables = "gjze"

// TestOlderStore opens the store of a version without the tables of holders, and stores whose
// upgrade was interrupted after each block. The records must equal the records of a new store.
func TestOlderStore(t *testing.T) {
	c := chaintest.InMemory(t, options)
	w := begin(t, c)
	a, b := w.branch("a"), w.branch("b")
	at := c.Tip().Hash
	a.write(at, 3)
	b.pay()
	b.write(at, 6) // to add blocks that are not in the chain
	blocks := append(slices.Clone(w.blocks), b.blocks...)
	want := indexes(t, c.Store)
	for interrupted := range len(blocks) {
		t.Run(fmt.Sprint("after block ", interrupted), func(t *testing.T) {
			var batch store.Batch
			for key := range want {
				if slices.Contains([]byte(laterTables), key[0]) {
					batch.Delete(key)
				}
			}
			batch.Delete("iindexes")
			if interrupted > 0 {
				batch.Put("iindexes", string(binary.BigEndian.AppendUint32(nil, uint32(interrupted))))
				for key, data := range fresh(t, blocks[:interrupted]...) {
					if slices.Contains([]byte(laterTables), key[0]) && key[0] != 'g' {
						batch.Put(key, data)
					}
				}
			}
			require.NoError(t, store.Apply(t.Context(), c.Store, batch))
			var reports [][2]int
			open := func() {
				_, err := chain.Open(t.Context(), chain.Config{Store: c.Store, Params: c.Params(), HeaderRules: chaintest.AnyProducer{}, Now: chaintest.Now,
					Progress: func(block, last int) { reports = append(reports, [2]int{block, last}) }})
				require.NoError(t, err)
			}
			open()
			require.Equal(t, [][2]int{{len(blocks), len(blocks)}}, reports)
			requireSame(t, want, indexes(t, c.Store))
			open()
			require.Len(t, reports, 1, "once")
		})
	}
}

// TestDamagedOlderStore checks that damage in the blocks of an older store is reported.
func TestDamagedOlderStore(t *testing.T) {
	for table, damage := range map[string]func(store.Entry) store.Op{"u": cut, "b": cut, "n": gone} {
		c := chaintest.InMemory(t, options)
		begin(t, c)
		found, err := c.Store.Scan(t.Context(), table, "", 100)
		require.NoError(t, err)
		batch := store.Batch{Ops: []store.Op{{Key: "iindexes", Delete: true}}}
		for _, e := range found {
			batch.Ops = append(batch.Ops, damage(e))
		}
		require.NoError(t, store.Apply(t.Context(), c.Store, batch))
		_, err = chain.Open(t.Context(), chain.Config{Store: c.Store, Params: c.Params(), HeaderRules: chaintest.AnyProducer{}, Now: chaintest.Now})
		require.ErrorIs(t, err, chain.ErrCorrupt, table)
	}
}
