// Package storetest tests the contract of store.KV. Every backend runs these tests. They check
// the behaviour of an open store, and not the effects of a crash, which each backend must test
// itself because they depend on its disk.
package storetest

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/store"
)

// Run tests the complete contract. The function open returns a new, empty store in each call,
// and arranges that it is closed at the end of the test.
func Run(t *testing.T, open func(t *testing.T) store.KV) {
	for _, c := range []struct {
		name string
		test func(*testing.T, store.KV)
	}{
		{"get distinguishes absent from empty", testAbsent},
		{"get keeps the order of the keys", testGetOrder},
		{"scan pages", testScan},
		{"scan limits", testScanLimits},
		{"binary keys and data", testBinary},
		{"a later operation wins", testLaterWins},
		{"deleting nothing", testDeleteNothing},
		{"guards", testGuards},
		{"guards see the state before", testGuardsBefore},
		{"a conflict changes nothing", testConflict},
		{"empty keys", testEmptyKeys},
		{"empty batch", testEmptyBatch},
		{"batch is not kept", testBatchNotRetained},
		{"durable can be called again", testDurableAgain},
		{"large data", testLarge},
		{"ended context", testContext},
		{"concurrent counters", testCounters},
		{"concurrent readers see whole batches", testWholeBatches},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, open(t)) })
	}
}

// put applies a batch with pairs of key and data.
func put(t *testing.T, kv store.KV, pairs ...string) {
	t.Helper()
	var b store.Batch
	for i := 0; i < len(pairs); i += 2 {
		b.Put(pairs[i], pairs[i+1])
	}
	require.NoError(t, store.Apply(t.Context(), kv, b))
}

func requireValue(t *testing.T, kv store.KV, key string, want store.Value) {
	t.Helper()
	got, err := kv.Get(t.Context(), key)
	require.NoError(t, err)
	require.Equal(t, []store.Value{want}, got, "key %q", key)
}

func present(data string) store.Value { return store.Value{Data: data, Present: true} }

// keys scans once and returns the keys, separated by spaces.
func keys(t *testing.T, kv store.KV, prefix, after string, limit int) string {
	t.Helper()
	entries, err := kv.Scan(t.Context(), prefix, after, limit)
	require.NoError(t, err)
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Key)
	}
	return strings.Join(names, " ")
}

func testAbsent(t *testing.T, kv store.KV) {
	requireValue(t, kv, "a", store.Value{})
	put(t, kv, "a", "")
	requireValue(t, kv, "a", present(""))
	put(t, kv, "a", "1")
	requireValue(t, kv, "a", present("1"))
	var b store.Batch
	b.Delete("a")
	require.NoError(t, store.Apply(t.Context(), kv, b))
	requireValue(t, kv, "a", store.Value{})
}

func testGetOrder(t *testing.T, kv store.KV) {
	put(t, kv, "a", "1", "b", "2", "c", "3")
	got, err := kv.Get(t.Context(), "c", "x", "a", "", "c")
	require.NoError(t, err)
	require.Equal(t, []store.Value{present("3"), {}, present("1"), {}, present("3")}, got)

	got, err = kv.Get(t.Context())
	require.NoError(t, err)
	require.Empty(t, got)
}

func testScan(t *testing.T, kv store.KV) {
	require.Empty(t, keys(t, kv, "", "", 10))
	put(t, kv, "b", "1", "a/10", "2", "a/9", "3", "a", "4", "a/", "5", "c/1", "6", "B", "7")
	for _, c := range []struct {
		name, prefix, after string
		limit               int
		want                string
	}{
		{"all, bytewise", "", "", 10, "B a a/ a/10 a/9 b c/1"},
		{"prefix, which is a key itself", "a", "", 10, "a a/ a/10 a/9"},
		{"longer prefix", "a/", "", 10, "a/ a/10 a/9"},
		{"after is left out", "a/", "a/10", 10, "a/9"},
		{"after need not be a key", "a/", "a/2", 10, "a/9"},
		{"after the prefix itself", "a", "a", 10, "a/ a/10 a/9"},
		{"after lies before the prefix", "a/", "Z", 10, "a/ a/10 a/9"},
		{"after lies behind the prefix", "a/", "b", 10, ""},
		{"after the last", "", "c/1", 10, ""},
		{"unknown prefix", "a/8", "", 10, ""},
		{"prefix behind everything", "z", "", 10, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, keys(t, kv, c.prefix, c.after, c.limit))
		})
	}
	entries, err := kv.Scan(t.Context(), "a/", "", 2)
	require.NoError(t, err)
	require.Equal(t, []store.Entry{{Key: "a/", Data: "5"}, {Key: "a/10", Data: "2"}}, entries)
}

func testScanLimits(t *testing.T, kv store.KV) {
	var b store.Batch
	for i := range 2500 {
		b.Put(fmt.Sprintf("k%04d", i), strconv.Itoa(i))
	}
	require.NoError(t, store.Apply(t.Context(), kv, b))
	require.Equal(t, "k0000 k0001", keys(t, kv, "k", "", 2))
	require.Empty(t, keys(t, kv, "k", "", 0))
	require.Empty(t, keys(t, kv, "k", "", -1))

	for _, page := range []int{1, 7, 1000, 2499, 2500, 2501} {
		var all []store.Entry
		after := ""
		for {
			entries, err := kv.Scan(t.Context(), "k", after, page)
			require.NoError(t, err)
			all = append(all, entries...)
			if len(entries) < page {
				break
			}
			after = entries[len(entries)-1].Key
		}
		require.Len(t, all, 2500, "page %d", page)
		for i, entry := range all {
			require.Equal(t, strconv.Itoa(i), entry.Data)
		}
	}
}

func testBinary(t *testing.T, kv store.KV) {
	every := make([]byte, 256)
	for i := range every {
		every[i] = byte(i)
	}
	words := []string{
		"\x00", "\x00\x00", "\x00a", "\n", "\r\n", "$3\r\nset\r\n", "*2\r\n", " ", "%_*?[",
		"\x7f", "\x80", "\xc3\x28", "é", "\xff", "\xff\xff", string(every),
	}
	var b store.Batch
	for _, word := range words {
		b.Put(word, "data of "+word)
		b.Put("p\xff"+word, word)
	}
	require.NoError(t, store.Apply(t.Context(), kv, b))
	for _, word := range words {
		requireValue(t, kv, word, present("data of "+word))
		requireValue(t, kv, "p\xff"+word, present(word))
	}
	entries, err := kv.Scan(t.Context(), "p\xff", "", 100)
	require.NoError(t, err)
	require.Len(t, entries, len(words))
	for i, entry := range entries {
		require.Equal(t, "p\xff"+entry.Data, entry.Key)
		if i > 0 {
			require.Less(t, entries[i-1].Key, entry.Key)
		}
	}
	require.Equal(t, "\xff \xff\xff", keys(t, kv, "\xff", "", 100))
}

func testLaterWins(t *testing.T, kv store.KV) {
	put(t, kv, "b", "old", "c", "old")
	var b store.Batch
	b.Put("a", "1")
	b.Put("a", "2")
	b.Put("b", "1")
	b.Delete("b")
	b.Delete("c")
	b.Put("c", "1")
	b.Put("d", "1")
	b.Delete("d")
	b.Put("d", "2")
	require.NoError(t, store.Apply(t.Context(), kv, b))
	got, err := kv.Get(t.Context(), "a", "b", "c", "d")
	require.NoError(t, err)
	require.Equal(t, []store.Value{present("2"), {}, present("1"), present("2")}, got)
}

func testDeleteNothing(t *testing.T, kv store.KV) {
	var b store.Batch
	b.Delete("a")
	b.Put("b", "1")
	b.Delete("c")
	require.NoError(t, store.Apply(t.Context(), kv, b))
	require.Equal(t, "b", keys(t, kv, "", "", 10))
}

func testGuards(t *testing.T, kv store.KV) {
	for _, c := range []struct {
		name  string
		guard func(*store.Batch)
		want  error
	}{
		{"expected data", func(b *store.Batch) { b.Expect("one", "1") }, nil},
		{"expected empty data", func(b *store.Batch) { b.Expect("empty", "") }, nil},
		{"expected absent", func(b *store.Batch) { b.ExpectAbsent("none") }, nil},
		{"the same guard twice", func(b *store.Batch) { b.Expect("one", "1"); b.Expect("one", "1") }, nil},
		{"other data", func(b *store.Batch) { b.Expect("one", "2") }, store.ErrConflict},
		{"empty, but it has data", func(b *store.Batch) { b.Expect("one", "") }, store.ErrConflict},
		{"empty, but it is absent", func(b *store.Batch) { b.Expect("none", "") }, store.ErrConflict},
		{"data, but it is absent", func(b *store.Batch) { b.Expect("none", "1") }, store.ErrConflict},
		{"absent, but it is there", func(b *store.Batch) { b.ExpectAbsent("one") }, store.ErrConflict},
		{"absent, but it is empty", func(b *store.Batch) { b.ExpectAbsent("empty") }, store.ErrConflict},
		{"only the last fails", func(b *store.Batch) { b.Expect("one", "1"); b.ExpectAbsent("empty") }, store.ErrConflict},
		{"only the first fails", func(b *store.Batch) { b.ExpectAbsent("empty"); b.Expect("one", "1") }, store.ErrConflict},
		{"two that contradict", func(b *store.Batch) { b.Expect("one", "1"); b.ExpectAbsent("one") }, store.ErrConflict},
	} {
		t.Run(c.name, func(t *testing.T) {
			put(t, kv, "one", "1", "empty", "", "mark", "before")
			b := store.Batch{}
			b.Put("mark", "after")
			c.guard(&b)
			require.ErrorIs(t, store.Apply(t.Context(), kv, b), c.want)
			if c.want == nil {
				requireValue(t, kv, "mark", present("after"))
			} else {
				requireValue(t, kv, "mark", present("before"))
			}
		})
	}
}

func testGuardsBefore(t *testing.T, kv store.KV) {
	var b store.Batch
	b.Put("a", "1")
	b.ExpectAbsent("a")
	require.NoError(t, store.Apply(t.Context(), kv, b))
	require.ErrorIs(t, store.Apply(t.Context(), kv, b), store.ErrConflict)

	b = store.Batch{}
	b.Delete("a")
	b.Expect("a", "1")
	require.NoError(t, store.Apply(t.Context(), kv, b))
	requireValue(t, kv, "a", store.Value{})
}

func testConflict(t *testing.T, kv store.KV) {
	put(t, kv, "a", "1", "b", "2")
	var b store.Batch
	b.Put("a", "x")
	b.Delete("b")
	b.Put("c", "x")
	b.ExpectAbsent("b")
	_, err := kv.Stage(t.Context(), b)
	require.ErrorIs(t, err, store.ErrConflict)
	entries, err := kv.Scan(t.Context(), "", "", 10)
	require.NoError(t, err)
	require.Equal(t, []store.Entry{{Key: "a", Data: "1"}, {Key: "b", Data: "2"}}, entries)
}

func testEmptyKeys(t *testing.T, kv store.KV) {
	var b store.Batch
	b.Put("a", "1")
	b.Put("", "1")
	_, err := kv.Stage(t.Context(), b)
	require.ErrorIs(t, err, store.ErrEmptyKey)
	requireValue(t, kv, "a", store.Value{})
	requireValue(t, kv, "", store.Value{})
}

func testEmptyBatch(t *testing.T, kv store.KV) {
	require.NoError(t, store.Apply(t.Context(), kv, store.Batch{}))
	put(t, kv, "a", "1")
	require.NoError(t, store.Apply(t.Context(), kv, store.Batch{}))

	var b store.Batch
	b.Expect("a", "1")
	require.NoError(t, store.Apply(t.Context(), kv, b))
	b.Expect("a", "2")
	require.ErrorIs(t, store.Apply(t.Context(), kv, b), store.ErrConflict)
	require.Equal(t, "a", keys(t, kv, "", "", 10))
}

func testBatchNotRetained(t *testing.T, kv store.KV) {
	var b store.Batch
	b.Put("a", "1")
	b.Put("b", "1")
	durable, err := kv.Stage(t.Context(), b)
	require.NoError(t, err)
	b.Ops[0] = store.Op{Key: "x", Data: "spoilt"}
	b.Ops = b.Ops[:0]
	b.Put("y", "spoilt")
	require.NoError(t, durable(t.Context()))
	require.Equal(t, "a b", keys(t, kv, "", "", 10))
}

func testDurableAgain(t *testing.T, kv store.KV) {
	var durables []store.Durable
	for i := range 5 {
		var b store.Batch
		b.Put(strconv.Itoa(i), "1")
		durable, err := kv.Stage(t.Context(), b)
		require.NoError(t, err)
		requireValue(t, kv, strconv.Itoa(i), present("1"))
		durables = append(durables, durable)
	}
	for _, i := range []int{4, 0, 2, 4} {
		require.NoError(t, durables[i](t.Context()))
	}
}

func testLarge(t *testing.T, kv store.KV) {
	large := strings.Repeat("0123456789abcdef", 1<<15)
	put(t, kv, "small", "1", "large", large, "later", "2")
	requireValue(t, kv, "large", present(large))
	requireValue(t, kv, "later", present("2"))
}

func testContext(t *testing.T, kv store.KV) {
	put(t, kv, "a", "1")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()

	_, err := kv.Get(ctx, "a")
	require.ErrorIs(t, err, context.Canceled)
	_, err = kv.Scan(ctx, "", "", 10)
	require.ErrorIs(t, err, context.Canceled)
	var b store.Batch
	b.Put("a", "2")
	_, err = kv.Stage(ctx, b)
	require.ErrorIs(t, err, context.Canceled)
	requireValue(t, kv, "a", present("1"))
}
