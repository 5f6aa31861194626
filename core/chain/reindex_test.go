package chain_test

import (
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain"
	"obverse/core/chain/chaintest"
	"obverse/core/chain/wire"
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

// TestOlderStoreInterrupted checks that the upgrade of a store with few tokens stores its
// progress after 1000 blocks, and after some megabytes of blocks.
func TestOlderStoreInterrupted(t *testing.T) {
	large := func(c *chaintest.Chain) {
		from := chaintest.Output(c.Mine().Txs[0], 0)
		for range 12 {
			var txs []*wire.Tx
			for range 9 {
				outs := []wire.TxOut{chaintest.Pay(nil, 0), chaintest.Pay(chaintest.Key(t, 1).PubKey(), from.Value-10_000)}
				for range 10 {
					outs = append(outs, chaintest.Pay(make([]byte, 9_500), 0))
				}
				tx := c.Tx([]chaintest.Coin{from}, outs...)
				from = chaintest.Output(tx, 1)
				txs = append(txs, tx)
			}
			c.Mine(txs...)
		}
	}
	for name, test := range map[string]struct {
		fill func(*chaintest.Chain)
		want [][2]int
	}{
		"many blocks": {func(c *chaintest.Chain) {
			for range 2100 {
				c.Mine()
			}
		}, [][2]int{{1000, 2100}, {2000, 2100}, {2100, 2100}}},
		"large blocks": {large, [][2]int{{11, 13}, {13, 13}}},
	} {
		t.Run(name, func(t *testing.T) {
			c := chaintest.InMemory(t, options)
			test.fill(c)
			want := indexes(t, c.Store)
			var batch store.Batch
			for key := range want {
				if slices.Contains([]byte(laterTables), key[0]) {
					batch.Delete(key)
				}
			}
			batch.Delete("iindexes")
			require.NoError(t, store.Apply(t.Context(), c.Store, batch))
			var reports [][2]int
			_, err := chain.Open(t.Context(), chain.Config{Store: c.Store, Params: c.Params(), HeaderRules: chaintest.AnyProducer{}, Now: chaintest.Now,
				Progress: func(block, last int) { reports = append(reports, [2]int{block, last}) }})
			require.NoError(t, err)
			require.Equal(t, test.want, reports)
			requireSame(t, want, indexes(t, c.Store))
		})
	}
}
