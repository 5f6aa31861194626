package history

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/store"
	"obverse/core/store/bunt"
	"obverse/core/store/table"
	"obverse/core/wallet/account/txlog"
	"obverse/core/wallet/coin"
)

func memory(t testing.TB) store.KV {
	t.Helper()
	kv, err := bunt.Open(bunt.Memory)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, kv.Close()) })
	return kv
}

// start opens a history with small pages and without pauses between them.
func start(kv store.KV, source Source, address string) *Log {
	l := New(Config{Store: kv, Source: source, Chain: "chain-1", Address: address, Now: time.Now})
	l.size, l.pause = 5, 0
	return l
}

// content returns everything that is stored.
func content(t testing.TB, kv store.KV) (list []store.Entry) {
	t.Helper()
	list, err := kv.Scan(t.Context(), "N/tm/", "", 1<<20)
	require.NoError(t, err)
	return list
}

// requireSame compares the contents of two stores and reports the first difference.
func requireSame(t testing.TB, want, got []store.Entry, about string) {
	t.Helper()
	for n := range min(len(want), len(got)) {
		require.Equal(t, want[n], got[n], about)
	}
	require.Len(t, got, len(want), about)
}

// loaded returns the contents of a store after an undisturbed run.
func loaded(t testing.TB, source Source, address string) []store.Entry {
	t.Helper()
	kv := memory(t)
	_, err := start(kv, source, address).load(t.Context())
	require.NoError(t, err)
	require.NotEmpty(t, content(t, kv))
	return content(t, kv)
}

func TestLoadRecordings(t *testing.T) {
	for _, kind := range kinds {
		r := replay(t, kind)
		kv := memory(t)
		l := start(kv, r.nodes(), r.user())
		found, err := l.load(t.Context())
		require.NoError(t, err)
		require.True(t, found)
		require.Equal(t, coin.SyncStatus{State: coin.SyncFinished}, l.Status())
		rows, err := l.Txs.List(t.Context(), kv, table.Prefixed(txlog.ByPlace, l.Account))
		require.NoError(t, err)
		require.Len(t, rows, len(r.txs))
		for n, row := range rows {
			tx := r.txs[len(r.txs)-1-n]
			require.Equal(t, tx.Hash, row.Hash)
			require.Equal(t, r.times[tx.Height].Unix(), row.Timestamp)
		}
		before := content(t, kv)
		found, err = l.load(t.Context())
		require.NoError(t, err)
		require.False(t, found)
		requireSame(t, before, content(t, kv), kind)
	}
}

// TestLoadSurvivesKills checks that a kill at any call to a node loses only the page that was
// being loaded.
func TestLoadSurvivesKills(t *testing.T) {
	for _, kind := range kinds {
		r := replay(t, kind)
		want := loaded(t, r.nodes(), r.user())
		for every := 1; every < 12; every++ {
			kv := memory(t)
			source, lives := r.nodes(), 0
			for done := false; !done; lives++ {
				ctx, kill := context.WithCancel(t.Context())
				calls := 0
				source.fail = func(string) error {
					if calls++; calls > every+lives/4 { // some progress is made eventually
						kill()
						return context.Canceled
					}
					return nil
				}
				_, err := start(kv, source, r.user()).load(ctx)
				done = err == nil
				if !done {
					require.ErrorIs(t, err, context.Canceled)
				}
				require.Less(t, lives, 500)
			}
			requireSame(t, want, content(t, kv), fmt.Sprintf("%s, killed after %d calls", kind, every))
		}
	}
}

// failing is a store in which every third change fails, alternately before and after it is
// made.
type failing struct {
	store.KV
	changes int
}

var errDisk = errors.New("disk full")

func (f *failing) Stage(ctx context.Context, b store.Batch) (store.Durable, error) {
	f.changes++
	if f.changes%6 == 0 {
		return nil, errDisk
	}
	durable, err := f.KV.Stage(ctx, b)
	if err == nil && f.changes%3 == 0 {
		return nil, errDisk
	}
	return durable, err
}

func TestLoadSurvivesTheStore(t *testing.T) {
	for _, kind := range kinds {
		r := replay(t, kind)
		kv := &failing{KV: memory(t)}
		failures := 0
		for {
			_, err := start(kv, r.nodes(), r.user()).load(t.Context())
			if err == nil {
				break
			}
			require.ErrorIs(t, err, errDisk)
			require.ErrorIs(t, err, coin.ErrHistoryStore)
			failures++
		}
		require.Positive(t, failures)
		requireSame(t, loaded(t, r.nodes(), r.user()), content(t, kv.KV), kind)
	}
}

// TestLoadGoesOn checks that new transactions are loaded from the end of the previous load,
// with two calls and one for each block.
func TestLoadGoesOn(t *testing.T) {
	r := replay(t, "iris")
	kv, whole := memory(t), r.nodes()
	for known := range len(r.txs) + 1 {
		source := whole.until(known)
		l := start(kv, source, r.user())
		found, err := l.load(t.Context())
		require.NoError(t, err)
		require.Equal(t, known > 0, found)
		require.LessOrEqual(t, len(source.queries), 6, "%v", source.queries)
	}
	requireSame(t, loaded(t, whole, r.user()), content(t, kv), "one by one")
}

// TestLoadKeepsATransactionOnce checks that a transaction that both searches find is queried
// and stored once.
func TestLoadKeepsATransactionOnce(t *testing.T) {
	source := made(30, "a")
	kv := memory(t)
	_, err := start(kv, source, "me1").load(t.Context())
	require.NoError(t, err)
	queries := make(map[string]int)
	for _, call := range source.queries {
		queries[call]++
	}
	require.Len(t, content(t, kv), 30+40*3+1) // rows, their entries in three indexes, the mark
	require.LessOrEqual(t, queries["block 1"], 2)
	require.Equal(t, 1, queries["earliest"])
}

func TestLoadFromPrunedNodes(t *testing.T) {
	archive := made(60, "a")
	pruned := archive.without(40)
	pruned.pruned, pruned.earliest = 25, 25
	kv := memory(t)
	l := start(kv, pruned, "me1")
	_, err := l.load(t.Context())
	require.NoError(t, err)
	_, startsAt := l.Loaded()
	require.Equal(t, uint64(25), startsAt)
	rows, err := l.Txs.List(t.Context(), kv, table.Prefixed(txlog.ByPlace, l.Account))
	require.NoError(t, err)
	require.Len(t, rows, 20)
	for _, row := range rows {
		require.Equal(t, row.Height < 25, row.Timestamp == 0, "a block that is gone has no time")
	}
	// The lowest block is known at once in the next run, and an archive node has a lower one.
	l = start(kv, pruned, "me1")
	pruned.fail = func(call string) error { // nothing is new, so that no block is queried
		if call == "earliest" {
			return errors.New("down")
		}
		return nil
	}
	_, err = l.load(t.Context())
	require.NoError(t, err)
	_, startsAt = l.Loaded()
	require.Equal(t, uint64(25), startsAt)
	l = start(kv, archive, "me1")
	_, err = l.load(t.Context())
	require.NoError(t, err)
	_, startsAt = l.Loaded()
	require.Zero(t, startsAt)
	rows, err = l.Txs.List(t.Context(), kv, table.Prefixed(txlog.ByPlace, l.Account))
	require.NoError(t, err)
	require.Len(t, rows, 60)
}

// When a chain restarts, a transaction at the same place replaces the previous one.
func TestLoadReplaces(t *testing.T) {
	kv := memory(t)
	old, restarted := made(20, "a"), made(40, "b")
	// Include a transaction of the old chain at a later place.
	restarted.txs[33].Raw, restarted.txs[33].Hash, restarted.txs[33].Events = old.txs[3].Raw, old.txs[3].Hash, old.txs[3].Events
	for _, source := range []*nodes{old, restarted} {
		_, err := start(kv, source, "me1").load(t.Context())
		require.NoError(t, err)
	}
	got, want := entriesOf(t, kv), entriesOf(t, entriesIn(t, restarted))
	require.Equal(t, want, got)
}

func entriesIn(t *testing.T, source Source) store.KV {
	t.Helper()
	kv := memory(t)
	_, err := start(kv, source, "me1").load(t.Context())
	require.NoError(t, err)
	return kv
}

func entriesOf(t *testing.T, kv store.KV) (list []string) {
	t.Helper()
	rows, err := txlog.NewTables(keys).Entries.List(t.Context(), kv, table.Range{Index: txlog.ByDenom})
	require.NoError(t, err)
	for _, row := range rows {
		list = append(list, fmt.Sprint(row.Height, row.Index, row.Number, row.ID, row.Total))
	}
	return list
}

func TestLoadTellsAccountsApart(t *testing.T) {
	kv := memory(t)
	r := replay(t, "iris")
	for _, name := range []string{"user", "other", "empty"} {
		source := r.nodes()
		source.address = r.Accounts[name].Address
		_, err := start(kv, source, source.address).load(t.Context())
		require.NoError(t, err)
	}
	other := start(kv, r.nodes(), r.Accounts["other"].Address)
	rows, err := other.Entries.List(t.Context(), kv, table.Prefixed(txlog.ByPlace, other.Account))
	require.NoError(t, err)
	for _, row := range rows {
		require.NotEqual(t, coin.KindDelegation, row.Kind)
	}
	empty := start(kv, r.nodes(), r.Accounts["empty"].Address)
	n, err := empty.Entries.Count(t.Context(), kv, table.Prefixed(txlog.ByPlace, empty.Account))
	require.NoError(t, err)
	require.Zero(t, n)
}

func TestLoadLimitsParallelQueries(t *testing.T) {
	source := made(200, "a")
	var peak, now int
	l := start(memory(t), slow{source, &now, &peak}, "me1")
	_, err := l.load(t.Context())
	require.NoError(t, err)
	require.LessOrEqual(t, peak, maxParallel)
	require.Positive(t, peak)
	require.True(t, strings.HasPrefix(source.queries[0], "spent"))
}

// slow records how many times of blocks are queried at the same time.
type slow struct {
	*nodes
	now, most *int
}

func (s slow) BlockTime(ctx context.Context, height uint64) (time.Time, error) {
	s.mu.Lock()
	*s.now++
	*s.most = max(*s.most, *s.now)
	s.mu.Unlock()
	at, err := s.nodes.BlockTime(ctx, height)
	s.mu.Lock()
	*s.now--
	s.mu.Unlock()
	return at, err
}

// TestWatch checks that a watcher gets each transaction of its coin once, as it is in the list,
// the oldest first.
func TestWatch(t *testing.T) {
	for _, kind := range kinds {
		r := replay(t, kind)
		l := start(memory(t), r.nodes(), r.user())
		v := View{Asset: Asset{Ticker: "X", Denom: r.Denom, Decimals: 6}, Platform: Asset{Ticker: "X", Denom: r.Denom, Decimals: 6}}
		var reported []coin.Transaction
		var known uint64
		stop := l.Watch(v, func(tx coin.Transaction, height uint64) {
			known = height
			reported = append(reported, tx)
		})
		other := l.Watch(View{Asset: Asset{Denom: "unknown"}}, func(coin.Transaction, uint64) { t.Error("of another coin") })
		_, err := l.load(t.Context())
		require.NoError(t, err)
		h, err := l.History(t.Context(), v, coin.HistoryQuery{Limit: 1000, Page: 1})
		require.NoError(t, err)
		require.NotEmpty(t, h.Transactions)
		require.ElementsMatch(t, h.Transactions, reported)
		require.Equal(t, h.CurrentBlock, known)
		_, err = l.load(t.Context())
		require.NoError(t, err)
		require.Len(t, reported, len(h.Transactions), "nothing is new")
		stop()
		other()
		l.Notify(t.Context(), []txlog.Record{{Height: r.txs[0].Height, Index: r.txs[0].Index}})
		require.Len(t, reported, len(h.Transactions), "the watch has ended")
	}
}
