package table_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/store"
	"obverse/core/store/table"
)

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

// Rows of one value follow in the order of their keys, over several pages, newest first.
func TestListingInPages(t *testing.T) {
	kv, ctx := memory(t), t.Context()
	type stat struct {
		ID, Time uint64
		Name     string
	}
	stats := table.New(table.Spec[stat]{
		Prefix: "N/test/stat/",
		Key:    table.Index[stat]{Name: "id", Of: func(s stat) string { return table.Down(s.ID) }},
		Sorted: []table.Index[stat]{
			{Name: "time", Of: func(s stat) string { return table.Down(s.Time) }},
			{Name: "node", Of: func(s stat) string { return table.Text(s.Name) + table.Down(s.Time) }},
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

	own := table.Range{Index: "node", From: table.Text("b") + table.Down(10), To: table.Text("b") + table.Down(9) + "\x00"}
	page, err = stats.List(ctx, kv, own)
	require.NoError(t, err)
	require.Equal(t, []stat{{44, 10, "b"}, {42, 10, "b"}, {40, 9, "b"}, {38, 9, "b"}}, page)
	ofA, err := stats.Count(ctx, kv, table.Prefixed("node", table.Text("a")))
	require.NoError(t, err)
	require.Equal(t, rows/2, ofA)
}

// An entry whose row has gone, or has got another value, is passed over: between the
// two reads of a listing others may change it.
func TestListingPassesOverStaleEntries(t *testing.T) {
	kv := memory(t)
	insert(t, kv, node{"a", "p1", 1}, node{"b", "p2", 2})
	var stale store.Batch
	stale.Put("N/test/node/height\x00\x01"+table.Text(table.Uint(0))+"gone", "gone")
	stale.Put("N/test/node/height\x00\x01"+table.Text(table.Uint(5))+"a", "a")
	require.NoError(t, store.Apply(t.Context(), kv, stale))
	require.Equal(t, []node{{"a", "p1", 1}, {"b", "p2", 2}}, list(t, kv, table.Range{Index: "height"}))
}

// FuzzText: the order of values is that of their parts, and no two are the same.
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
