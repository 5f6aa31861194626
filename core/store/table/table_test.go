package table_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/store"
	"obverse/core/store/bunt"
	"obverse/core/store/table"
)

type node struct {
	Name, Peer string
	Height     uint64
}

func nodes() *table.Table[node] {
	return table.New(table.Spec[node]{
		Prefix: "N/test/node/",
		Key:    table.Index[node]{Name: "name", Value: func(n node) string { return n.Name }},
		Unique: []table.Index[node]{{Name: "peer", Value: func(n node) string { return n.Peer }}},
		Sorted: []table.Index[node]{{Name: "height", Value: func(n node) string { return table.Uint(n.Height) }}},
	})
}

func memory(t testing.TB) *bunt.DB { return openAt(t, bunt.Memory) }

func openAt(t testing.TB, path string) *bunt.DB {
	t.Helper()
	kv, err := bunt.Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { _ = kv.Close() })
	return kv
}

func insert(t testing.TB, kv store.KV, rows ...node) {
	t.Helper()
	require.NoError(t, table.Change(t.Context(), kv, func(tx *table.Tx) error {
		for _, row := range rows {
			if err := nodes().Insert(t.Context(), tx, row); err != nil {
				return err
			}
		}
		return nil
	}))
}

func put(t testing.TB, kv store.KV, row node) error {
	return table.Change(t.Context(), kv, func(tx *table.Tx) error { return nodes().Put(t.Context(), tx, row) })
}

func list(t testing.TB, kv store.KV, r table.Range) []node {
	t.Helper()
	rows, err := nodes().List(t.Context(), kv, r)
	require.NoError(t, err)
	return rows
}

// dump returns everything in the store, to check that nothing is left behind or changed.
func dump(t testing.TB, kv store.KV) []store.Entry {
	t.Helper()
	all, err := kv.Scan(t.Context(), "", "", 1<<20)
	require.NoError(t, err)
	return all
}

func TestRowsAreFoundByEveryIndex(t *testing.T) {
	kv, ctx := memory(t), t.Context()
	a, b := node{"a", "p1", 7}, node{"", "p\x00ÿ", 0}
	insert(t, kv, a, b)
	for _, want := range []node{a, b} {
		row, found, err := nodes().Get(ctx, kv, want.Name)
		require.NoError(t, err)
		require.True(t, found)
		require.Equal(t, want, row)
		row, found, err = nodes().Find(ctx, kv, "peer", want.Peer)
		require.NoError(t, err)
		require.True(t, found)
		require.Equal(t, want, row)
	}
	_, found, err := nodes().Get(ctx, kv, "p1")
	require.NoError(t, err)
	require.False(t, found)
	_, found, err = nodes().Find(ctx, kv, "peer", "p\x00")
	require.NoError(t, err)
	require.False(t, found)
}

func TestDuplicatesNameEveryIndex(t *testing.T) {
	kv := memory(t)
	insert(t, kv, node{"a", "p1", 1}, node{"b", "p2", 2})
	before := dump(t, kv)
	for _, c := range []struct {
		name string
		row  node
		want []string
	}{
		{"key", node{"a", "p3", 1}, []string{"name"}},
		{"unique index", node{"c", "p2", 1}, []string{"peer"}},
		{"both, of one row", node{"a", "p1", 1}, []string{"name", "peer"}},
		{"both, of two rows", node{"a", "p2", 1}, []string{"name", "peer"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := table.Change(t.Context(), kv, func(tx *table.Tx) error { return nodes().Insert(t.Context(), tx, c.row) })
			var duplicate *table.DuplicateError
			require.ErrorAs(t, err, &duplicate)
			require.Equal(t, c.want, duplicate.Indexes)
			require.Equal(t, before, dump(t, kv))
		})
	}
	var duplicate *table.DuplicateError
	require.ErrorAs(t, put(t, kv, node{"a", "p2", 1}), &duplicate)
	require.Equal(t, []string{"peer"}, duplicate.Indexes)
	require.EqualError(t, &table.DuplicateError{Indexes: []string{"name", "peer"}}, "duplicate  name and this peer")
	require.Equal(t, before, dump(t, kv))
}

func TestPutReplacesEveryEntry(t *testing.T) {
	kv := memory(t)
	require.NoError(t, put(t, kv, node{"a", "p1", 1}))
	require.NoError(t, put(t, kv, node{"a", "p2", 2}))
	require.NoError(t, put(t, kv, node{"b", "p1", 1}), "the old peer is free again")
	require.Equal(t, []node{{"b", "p1", 1}, {"a", "p2", 2}}, list(t, kv, table.Range{Index: "height"}))
	same := dump(t, kv)
	require.Len(t, same, 6)
	require.NoError(t, put(t, kv, node{"b", "p1", 1}))
	require.Equal(t, same, dump(t, kv))
}

func TestDeleteLeavesNothing(t *testing.T) {
	kv := memory(t)
	insert(t, kv, node{"a", "p1", 1})
	for _, want := range []bool{true, false} {
		var found bool
		require.NoError(t, table.Change(t.Context(), kv, func(tx *table.Tx) (err error) {
			found, err = nodes().Delete(t.Context(), tx, "a")
			return err
		}))
		require.Equal(t, want, found)
		require.Empty(t, dump(t, kv))
	}
}

func TestTxSeesItsChanges(t *testing.T) {
	kv, ctx := memory(t), t.Context()
	insert(t, kv, node{"a", "p1", 1})
	// Replace a row by one with another key and the same unique value.
	require.NoError(t, table.Change(ctx, kv, func(tx *table.Tx) error {
		if _, err := nodes().Delete(ctx, tx, "a"); err != nil {
			return err
		}
		_, found, err := nodes().Find(ctx, tx, "peer", "p1")
		require.NoError(t, err)
		require.False(t, found)
		return nodes().Insert(ctx, tx, node{"z", "p1", 1})
	}))
	require.Equal(t, []node{{"z", "p1", 1}}, list(t, kv, table.Range{Index: "name"}))
	// Insert the same unique value twice in one batch.
	err := table.Change(ctx, kv, func(tx *table.Tx) error {
		require.NoError(t, nodes().Insert(ctx, tx, node{"x", "p9", 1}))
		return nodes().Insert(ctx, tx, node{"y", "p9", 1})
	})
	var duplicate *table.DuplicateError
	require.ErrorAs(t, err, &duplicate)
	require.Len(t, list(t, kv, table.Range{Index: "name"}), 1, "nothing of the batch was made")
}

func TestTablesChangeTogether(t *testing.T) {
	kv, ctx := memory(t), t.Context()
	counts := table.New(table.Spec[int]{
		Prefix: "N/test/count/",
		Key:    table.Index[int]{Name: "always", Value: func(int) string { return "" }},
	})
	refused := errors.New("refused")
	add := func(row node, fail error) error {
		return table.Change(ctx, kv, func(tx *table.Tx) error {
			n, _, err := counts.Get(ctx, tx, "")
			if err != nil {
				return err
			}
			tx.Put("plain", row.Name)
			return errors.Join(nodes().Insert(ctx, tx, row), counts.Put(ctx, tx, n+1), fail)
		})
	}
	require.NoError(t, add(node{"a", "p1", 1}, nil))
	before := dump(t, kv)
	require.ErrorIs(t, add(node{"b", "p2", 1}, refused), refused)
	require.Equal(t, before, dump(t, kv))
	require.NoError(t, add(node{"b", "p2", 1}, nil))
	n, found, err := counts.Get(ctx, kv, "")
	require.NoError(t, err)
	require.True(t, found)
	require.Equal(t, 2, n)
}

func TestIDsGrow(t *testing.T) {
	kv, ctx := memory(t), t.Context()
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for range 5 {
				if err := table.Change(ctx, kv, func(tx *table.Tx) error {
					for range 2 {
						id, err := nodes().NextID(ctx, tx)
						if err != nil {
							return err
						}
						name := table.Uint(id)
						if err := nodes().Insert(ctx, tx, node{name, name, id}); err != nil {
							return err
						}
					}
					return nil
				}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	rows := list(t, kv, table.Range{Index: "name"})
	require.Len(t, rows, 80)
	for n, row := range rows {
		require.Equal(t, uint64(n+1), row.Height)
	}
}

func TestOneOfTwoInsertsWins(t *testing.T) {
	kv, ctx := memory(t), t.Context()
	for round := range 50 {
		errs := make([]error, 4)
		var wait sync.WaitGroup
		for n := range errs {
			wait.Go(func() {
				row := node{fmt.Sprint(round, "/", n), fmt.Sprint("peer", round), uint64(n)}
				errs[n] = table.Change(ctx, kv, func(tx *table.Tx) error { return nodes().Insert(ctx, tx, row) })
			})
		}
		wait.Wait()
		won := 0
		for _, err := range errs {
			if err == nil {
				won++
				continue
			}
			var duplicate *table.DuplicateError
			require.ErrorAs(t, err, &duplicate)
			require.Equal(t, []string{"peer"}, duplicate.Indexes)
		}
		require.Equal(t, 1, won)
	}
	require.Len(t, list(t, kv, table.Range{Index: "name"}), 50)
	require.Len(t, dump(t, kv), 150)
}

// meddler changes the store once, between the reads of a Tx and its batch.
type meddler struct {
	store.KV
	meddle func()
}

func (m *meddler) Stage(ctx context.Context, b store.Batch) (store.Durable, error) {
	if meddle := m.meddle; meddle != nil {
		m.meddle = nil
		meddle()
	}
	return m.KV.Stage(ctx, b)
}

func TestChangeRunsAgainAfterAConflict(t *testing.T) {
	kv, ctx := memory(t), t.Context()
	insert(t, kv, node{"a", "p1", 1})
	other := func() { require.NoError(t, put(t, kv, node{"a", "p1", 10})) }
	runs := 0
	require.NoError(t, table.Change(ctx, &meddler{kv, other}, func(tx *table.Tx) error {
		runs++
		row, _, err := nodes().Get(ctx, tx, "a")
		row.Height++
		return errors.Join(err, nodes().Put(ctx, tx, row))
	}))
	require.Equal(t, 2, runs)
	require.Equal(t, []node{{"a", "p1", 11}}, list(t, kv, table.Range{Index: "name"}))
}

// TestErrorsAreOfOneMoment checks that a failure caused by a concurrent change is retried.
func TestErrorsAreOfOneMoment(t *testing.T) {
	kv, ctx := memory(t), t.Context()
	insert(t, kv, node{"a", "p1", 1})
	free := func() {
		require.NoError(t, table.Change(ctx, kv, func(tx *table.Tx) error {
			_, err := nodes().Delete(ctx, tx, "a")
			return err
		}))
	}
	require.NoError(t, table.Change(ctx, &meddler{kv, free}, func(tx *table.Tx) error {
		return nodes().Insert(ctx, tx, node{"b", "p1", 1})
	}))
	require.Equal(t, []node{{"b", "p1", 1}}, list(t, kv, table.Range{Index: "name"}))
}

func TestChangeEndsWithItsContext(t *testing.T) {
	kv := memory(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := table.Change(ctx, kv, func(tx *table.Tx) error { return nodes().Insert(ctx, tx, node{"a", "p1", 1}) })
	require.ErrorIs(t, err, context.Canceled)
	require.Empty(t, dump(t, kv))
}

func TestReopening(t *testing.T) {
	path := filepath.Join(t.TempDir(), "db")
	kv := openAt(t, path)
	insert(t, kv, node{"a", "p1", 1}, node{"b", "p2", 2})
	require.NoError(t, kv.Close())
	kv = openAt(t, path)
	require.Equal(t, []node{{"a", "p1", 1}, {"b", "p2", 2}}, list(t, kv, table.Range{Index: "name"}))
	var duplicate *table.DuplicateError
	require.ErrorAs(t, put(t, kv, node{"c", "p1", 1}), &duplicate)
}

func TestDamagedRecords(t *testing.T) {
	const row = "N/test/node/name\x00\x01a\x00\x01"
	ctx := t.Context()
	for name, data := range map[string]string{
		"empty":         "",
		"version alone": "\x00",
		"newer version": "\x01{}",
		"cut JSON":      "\x00{\"Name\":",
		"another type":  "\x00[]",
	} {
		t.Run(name, func(t *testing.T) {
			kv := memory(t)
			insert(t, kv, node{"a", "p1", 1})
			var spoil store.Batch
			spoil.Put(row, data)
			require.NoError(t, store.Apply(ctx, kv, spoil))
			_, _, err := nodes().Get(ctx, kv, "a")
			require.ErrorIs(t, err, table.ErrDamaged)
			_, _, err = nodes().Find(ctx, kv, "peer", "p1")
			require.ErrorIs(t, err, table.ErrDamaged)
			_, err = nodes().List(ctx, kv, table.Range{Index: "height"})
			require.ErrorIs(t, err, table.ErrDamaged)
			require.ErrorIs(t, put(t, kv, node{"a", "p2", 1}), table.ErrDamaged)
		})
	}
	kv := memory(t)
	insert(t, kv, node{"a", "p1", 1})
	var spoil store.Batch
	spoil.Delete(row)
	spoil.Put("N/test/node/\x00\x01", "7")
	require.NoError(t, store.Apply(ctx, kv, spoil))
	_, _, err := nodes().Find(ctx, kv, "peer", "p1")
	require.ErrorIs(t, err, table.ErrDamaged, "an index that leads nowhere")
	err = table.Change(ctx, kv, func(tx *table.Tx) error {
		_, err := nodes().NextID(ctx, tx)
		return err
	})
	require.ErrorIs(t, err, table.ErrDamaged, "a sequence that is no number")
}

func TestLossyRows(t *testing.T) {
	kv := memory(t)
	require.ErrorIs(t, put(t, kv, node{"a", "\xff", 1}), table.ErrLossy)
	require.ErrorIs(t, put(t, kv, node{"\xff", "p1", 1}), table.ErrLossy)
	require.Empty(t, dump(t, kv))
}

func TestCodec(t *testing.T) {
	unreadable := errors.New("unreadable")
	words := func(c table.Codec[string]) *table.Table[string] {
		return table.New(table.Spec[string]{
			Prefix: "N/test/word/",
			Key:    table.Index[string]{Name: "first", Value: func(s string) string { return s[:1] }},
			Codec:  c,
		})
	}
	kv, ctx := memory(t), t.Context()
	write := func(words *table.Table[string], row string) error {
		return table.Change(ctx, kv, func(tx *table.Tx) error { return words.Put(ctx, tx, row) })
	}
	require.NoError(t, write(words(table.Codec[string]{}), "old"))
	second := table.Codec[string]{
		Version: 200,
		Encode: func(s string) ([]byte, error) {
			if s == "x" {
				return nil, unreadable
			}
			return []byte(strings.ToUpper(s)), nil
		},
		Decode: func(version byte, data []byte) (s string, err error) {
			if version == 0 {
				err = json.Unmarshal(data, &s)
				return s, err
			}
			return strings.ToLower(string(data)), nil
		},
	}
	require.NoError(t, write(words(second), "new"))
	require.ErrorIs(t, write(words(second), "x"), unreadable)
	rows, err := words(second).List(ctx, kv, table.Range{Index: "first"})
	require.NoError(t, err)
	require.Equal(t, []string{"new", "old"}, rows)
	require.Contains(t, dump(t, kv), store.Entry{Key: "N/test/word/first\x00\x01n\x00\x01", Data: "\xc8NEW"})
}

func TestNamesOfIndexes(t *testing.T) {
	identity := func(s string) string { return s }
	for name, spec := range map[string]table.Spec[string]{
		"empty":                {Prefix: "x/"},
		"the key's":            {Prefix: "x/", Key: table.Index[string]{Name: "a", Value: identity}, Unique: []table.Index[string]{{Name: "a", Value: identity}}},
		"unique and sorted":    {Prefix: "x/", Key: table.Index[string]{Name: "a", Value: identity}, Unique: []table.Index[string]{{Name: "b", Value: identity}}, Sorted: []table.Index[string]{{Name: "b", Value: identity}}},
		"an empty sorted name": {Prefix: "x/", Key: table.Index[string]{Name: "a", Value: identity}, Sorted: []table.Index[string]{{Value: identity}}},
	} {
		require.Panics(t, func() { table.New(spec) }, name)
	}
	require.Panics(t, func() { _, _ = nodes().List(t.Context(), memory(t), table.Range{Index: "none"}) })
}

// TestReadOfOneMoment checks that all reads of Read are of one moment, also if fn fails because
// of them.
func TestReadOfOneMoment(t *testing.T) {
	kv, ctx := memory(t), t.Context()
	insert(t, kv, node{"a", "a1", 1}, node{"b", "b1", 1})
	runs := 0
	var a, b node
	err := table.Read(ctx, kv, func(from table.Reader) (err error) {
		runs++
		if a, _, err = nodes().Get(ctx, from, "a"); err != nil {
			return err
		}
		if runs == 1 {
			require.NoError(t, put(t, kv, node{"a", "a1", 2}))
			require.NoError(t, put(t, kv, node{"b", "b1", 2}))
		}
		if b, _, err = nodes().Get(ctx, from, "b"); err != nil {
			return err
		}
		if a.Height != b.Height {
			return errors.New("two moments")
		}
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, []uint64{2, 2, 2}, []uint64{uint64(runs), a.Height, b.Height})
	wanted := errors.New("wanted")
	require.ErrorIs(t, table.Read(ctx, kv, func(table.Reader) error { return wanted }), wanted)
	ended, cancel := context.WithCancel(ctx)
	cancel()
	require.ErrorIs(t, table.Read(ended, kv, func(table.Reader) error { return nil }), context.Canceled)
}

func TestRanges(t *testing.T) {
	kv := memory(t)
	values := []string{"", "\x00", "\x00\x00", "\x00\x01", "\x00ÿ", "a", "a\x00", "a\x00b", "a\x01", "ab", "b", "\u07ff", "\u07ff\u07ff"}
	for n, value := range values {
		insert(t, kv, node{value, fmt.Sprint(n), uint64(n % 3)})
	}
	names := func(r table.Range) (found []string) {
		for _, row := range list(t, kv, r) {
			found = append(found, row.Name)
		}
		n, err := nodes().Count(t.Context(), kv, r)
		require.NoError(t, err)
		if r.Limit == 0 && r.Offset == 0 {
			require.Len(t, found, n)
		}
		return found
	}
	slices.Sort(values)
	require.Equal(t, values, names(table.Range{Index: "name"}))
	for _, from := range values {
		for _, to := range values[1:] {
			var want []string
			for _, v := range values {
				if v >= from && v < to {
					want = append(want, v)
				}
			}
			require.Equal(t, want, names(table.Range{Index: "name", From: from, To: to}), "%q to %q", from, to)
		}
		var want []string
		for _, v := range values {
			if strings.HasPrefix(v, from) {
				want = append(want, v)
			}
		}
		require.Equal(t, want, names(table.Prefixed("name", from)), "%q and what follows it", from)
	}
	require.Equal(t, values[3:5], names(table.Range{Index: "name", Offset: 3, Limit: 2}))
	require.Equal(t, values[12:], names(table.Range{Index: "name", Offset: 12, Limit: 2}))
	require.Empty(t, names(table.Range{Index: "name", Offset: 13}))
	require.Empty(t, names(table.Range{Index: "name", From: "b", To: "a"}))
	insert(t, kv, node{"top", "top", 1<<64 - 1})
	require.Equal(t, []string{"top"}, names(table.Prefixed("height", "\xff\xff")))
	only := table.Range{Index: "height", From: table.Uint(1), To: table.Uint(1) + "\x00"}
	for _, row := range list(t, kv, only) {
		require.EqualValues(t, 1, row.Height)
	}
	require.Len(t, list(t, kv, only), 4)
}

// TestListingInPages checks that rows with equal values are in the order of their keys over
// several pages, the newest first.
func TestListingInPages(t *testing.T) {
	kv, ctx := memory(t), t.Context()
	type stat struct {
		ID, Time uint64
		Name     string
	}
	stats := table.New(table.Spec[stat]{
		Prefix: "N/test/stat/",
		Key:    table.Index[stat]{Name: "id", Value: func(s stat) string { return table.Down(s.ID) }},
		Sorted: []table.Index[stat]{
			{Name: "time", Value: func(s stat) string { return table.Down(s.Time) }},
			{Name: "node", Value: func(s stat) string { return table.Text(s.Name) + table.Down(s.Time) }},
		},
	})
	const rows = 1600
	require.NoError(t, table.Change(ctx, kv, func(tx *table.Tx) error {
		for n := range rows {
			id, err := stats.NextID(ctx, tx)
			if err != nil {
				return err
			}
			if err := stats.Insert(ctx, tx, stat{id, uint64(n / 4), string(rune('a' + n%2))}); err != nil {
				return err
			}
		}
		return nil
	}))
	all, err := stats.List(ctx, kv, table.Range{Index: "time"})
	require.NoError(t, err)
	require.Len(t, all, rows)
	for n, row := range all {
		require.Equal(t, uint64(rows-n), row.ID)
	}
	middle := table.Range{Index: "time", From: table.Down(299), To: table.Down(100) + "\x00"}
	n, err := stats.Count(ctx, kv, middle)
	require.NoError(t, err)
	require.Equal(t, 800, n)
	middle.Offset, middle.Limit = 600, 100
	page, err := stats.List(ctx, kv, middle)
	require.NoError(t, err)
	require.Equal(t, all[400+600:400+700], page)

	inner := table.Range{Index: "node", From: table.Text("b") + table.Down(10), To: table.Text("b") + table.Down(9) + "\x00"}
	page, err = stats.List(ctx, kv, inner)
	require.NoError(t, err)
	require.Equal(t, []stat{{44, 10, "b"}, {42, 10, "b"}, {40, 9, "b"}, {38, 9, "b"}}, page)
	countA, err := stats.Count(ctx, kv, table.Prefixed("node", table.Text("a")))
	require.NoError(t, err)
	require.Equal(t, rows/2, countA)
}

// TestListingPassesOverStaleEntries checks that a listing skips an entry whose row was deleted
// or has another value, since others may change it between the two reads.
func TestListingPassesOverStaleEntries(t *testing.T) {
	kv := memory(t)
	insert(t, kv, node{"a", "p1", 1}, node{"b", "p2", 2})
	var stale store.Batch
	stale.Put("N/test/node/height\x00\x01"+table.Text(table.Uint(0))+"gone", "gone")
	stale.Put("N/test/node/height\x00\x01"+table.Text(table.Uint(5))+"a", "a")
	require.NoError(t, store.Apply(t.Context(), kv, stale))
	require.Equal(t, []node{{"a", "p1", 1}, {"b", "p2", 2}}, list(t, kv, table.Range{Index: "height"}))
}

// FuzzText checks that values are in the order of their parts, and that no two are equal.
func FuzzText(f *testing.F) {
	f.Add("a", "b", "a\x00", "b")
	f.Add("", "\x00", "\x00", "")
	f.Add("\x00\x01", "\x00\xff", "\x00", "\x01\xff")
	f.Fuzz(func(t *testing.T, a1, a2, b1, b2 string) {
		want := strings.Compare(a1, b1)
		if want == 0 {
			want = strings.Compare(a2, b2)
		}
		require.Equal(t, want, strings.Compare(table.Text(a1)+table.Text(a2), table.Text(b1)+table.Text(b2)))
	})
}

func TestNumbersSort(t *testing.T) {
	numbers := []uint64{0, 1, 255, 256, 1 << 32, 1<<64 - 1}
	for i, a := range numbers {
		read, ok := table.ParseUint(table.Uint(a))
		require.True(t, ok)
		require.Equal(t, a, read)
		for _, b := range numbers[i+1:] {
			require.Negative(t, bytes.Compare([]byte(table.Uint(a)), []byte(table.Uint(b))))
			require.Positive(t, bytes.Compare([]byte(table.Down(a)), []byte(table.Down(b))))
		}
	}
	for _, text := range []string{"", "1234567", "123456789"} {
		_, ok := table.ParseUint(text)
		require.False(t, ok)
	}
}
