package txlog

import (
	"context"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/store"
	"obverse/core/store/bunttest"
	"obverse/core/store/table"
	"obverse/core/wallet/coin"
)

// interrupted runs do once, before the first read of keys with the prefix.
type interrupted struct {
	store.KV
	prefix string
	do     func()
}

func (s *interrupted) Get(ctx context.Context, keys ...string) ([]store.Value, error) {
	if do := s.do; do != nil && strings.HasPrefix(keys[0], s.prefix) {
		s.do = nil
		do()
	}
	return s.KV.Get(ctx, keys...)
}

// TestPageOfDropped reads a page while a block is replaced. The page must list the state before
// or after, and half of a change must not be reported as damage.
func TestPageOfDropped(t *testing.T) {
	const prefix = "N/test/"
	kv := &interrupted{KV: bunttest.Memory(t), prefix: prefix + "tx/"}
	l := New(Config{Store: kv, Prefix: prefix, Chain: "1", Address: "a", Now: time.Now,
		Height: func(context.Context) (uint64, error) { return 10, nil }})
	record := func(height uint64, id string) Record {
		return Record{Height: height, Hash: id, Entries: []Entry{{ID: id, Kind: coin.KindTransfer, Total: big.NewInt(1)}}}
	}
	nothing := func(*table.Tx) error { return nil }
	require.NoError(t, l.Keep(t.Context(), []Record{record(1, "kept"), record(2, "replaced"), record(3, "dropped")}, nothing))
	listed := func() (hashes []string) {
		h, err := l.History(t.Context(), View{}, coin.HistoryQuery{Limit: 10, Page: 1})
		require.NoError(t, err)
		for _, tx := range h.Transactions {
			require.Equal(t, tx.Hash, tx.ID, "an entry of another transaction")
			hashes = append(hashes, tx.Hash)
		}
		return hashes
	}
	require.Equal(t, []string{"dropped", "replaced", "kept"}, listed())
	kv.do = func() {
		require.NoError(t, table.Change(t.Context(), kv.KV, func(tx *table.Tx) error {
			if err := l.Drop(t.Context(), tx, 3, 0); err != nil {
				return err
			}
			return l.put(t.Context(), tx, record(2, "new"))
		}))
	}
	require.Equal(t, []string{"new", "kept"}, listed())
	require.Nil(t, kv.do)
	require.NoError(t, table.Change(t.Context(), kv, func(tx *table.Tx) error {
		_, err := l.Txs.Delete(t.Context(), tx, l.Account+place(1, 0))
		return err
	}))
	_, err := l.History(t.Context(), View{}, coin.HistoryQuery{Limit: 10, Page: 1})
	require.ErrorIs(t, err, table.ErrDamaged, "an entry without its transaction is still found")
}
