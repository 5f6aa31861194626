package bunt

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/buntdb"

	"obverse/core/store"
)

// sheetsOf returns the pages of a table, and checks that each has the form described in
// page.go.
func sheetsOf(t *testing.T, tab *table) (sheets []sheet) {
	t.Helper()
	require.NoError(t, tab.view(func(tx *buntdb.Tx) error {
		return tx.Ascend("", func(separator, page string) bool {
			sheets = append(sheets, sheet{strings.Clone(separator), page})
			return true
		})
	}))
	last := ""
	for i, s := range sheets {
		require.NotEmpty(t, s.page)
		require.True(t, i == 0 || last < s.separator, "separator %q is not above key %q", s.separator, last)
		key, rows := "", 0
		for at := 0; at < len(s.page); rows++ {
			r := rowAt(s.page, at)
			next := key[:r.shared] + r.tail(s.page)
			require.Equal(t, common(key, next), r.shared, "key %q after %q", next, key)
			require.Less(t, key, next)
			require.LessOrEqual(t, s.separator, next)
			key, at = next, r.end()
		}
		last = key
		require.True(t, rows == 1 || len(s.page) <= pageSize+wideRow+len(key), "page of %d bytes and %d rows", len(s.page), rows)
	}
	return sheets
}

// randomKey returns one of a few hundred keys. Many of them have the same beginning, or are the
// beginning of another.
func randomKey(random *rand.Rand) string {
	parts := []string{"a", "ab", "\x00", "\xff", strings.Repeat("long", 40), "b"}
	key := ""
	for range 1 + random.IntN(4) {
		key += parts[random.IntN(len(parts))]
	}
	return key
}

func randomData(random *rand.Rand) string {
	size := random.IntN(40)
	switch random.IntN(12) {
	case 0:
		size = wideRow - 200 + random.IntN(400)
	case 1:
		size = 3*pageSize + random.IntN(1000)
	}
	return strings.Repeat(string(rune('0'+random.IntN(10))), size)
}

// requireRows checks that a table contains exactly the given rows, with all methods of reading.
func requireRows(t *testing.T, tab *table, random *rand.Rand, rows map[string]string) {
	t.Helper()
	keys := slices.Sorted(maps.Keys(rows))
	n, err := tab.len()
	require.NoError(t, err)
	require.Equal(t, len(rows), n)
	for range 20 {
		prefix, after := "", ""
		if random.IntN(3) > 0 {
			prefix = randomKey(random)[:1]
		}
		if random.IntN(3) > 0 {
			after = randomKey(random)
		}
		limit := random.IntN(60)
		var want []store.Entry
		for _, key := range keys {
			if len(want) < limit && key > after && strings.HasPrefix(key, prefix) {
				want = append(want, store.Entry{Key: key, Data: rows[key]})
			}
		}
		got, err := tab.scan(prefix, after, limit)
		require.NoError(t, err)
		require.Equal(t, want, got, "prefix %q, after %q, limit %d", prefix, after, limit)
	}
	require.NoError(t, tab.view(func(tx *buntdb.Tx) error {
		for range 50 {
			key := randomKey(random)
			data, present := rows[key]
			got, err := get(tx, key)
			require.NoError(t, err)
			require.Equal(t, store.Value{Data: data, Present: present}, got, "key %q", key)
		}
		return nil
	}))
}

// TestTable applies random changes to a table and to a map.
func TestTable(t *testing.T) {
	for seed := range uint64(30) {
		random := rand.New(rand.NewPCG(seed, 1))
		tab, err := newTable()
		require.NoError(t, err)
		rows := map[string]string{}
		for range 60 {
			deletes := random.IntN(5) // out of 4; in some runs, the number of rows decreases
			var ops []store.Op
			for range 1 + random.IntN(1<<random.IntN(8)) {
				op := store.Op{Key: randomKey(random), Data: randomData(random)}
				if random.IntN(4) < deletes {
					op.Delete = true
					delete(rows, op.Key)
				} else {
					rows[op.Key] = op.Data
				}
				ops = append(ops, op)
			}
			given := slices.Clone(ops)
			require.NoError(t, tab.change(ops))
			require.Equal(t, given, ops, "the batch belongs to the caller")
			sheetsOf(t, tab)
			requireRows(t, tab, random, rows)
		}
		require.NoError(t, tab.Close())
	}
}

// manyRows returns rows like those of a chain's index: a long key that shares most bytes with
// the key before it.
func manyRows(n int) (ops []store.Op) {
	for i := range n {
		ops = append(ops, store.Op{Key: strings.Repeat("address", 6) + fmt.Sprintf("%08d", i), Data: "8 bytes."})
	}
	return ops
}

// TestTableIsSmall checks the memory used for rows in addition to their data: it must be less
// than their keys and less than buntdb's overhead for one row.
func TestTableIsSmall(t *testing.T) {
	const rows, item, maxChunks = 50_000, 48 + 24, 16
	for _, order := range []string{"ascending", "random"} {
		tab, err := newTable()
		require.NoError(t, err)
		ops := manyRows(rows)
		if order == "random" {
			rand.New(rand.NewPCG(1, 2)).Shuffle(len(ops), func(i, j int) { ops[i], ops[j] = ops[j], ops[i] })
		}
		for lot := range slices.Chunk(ops, 500) {
			require.NoError(t, tab.change(lot))
		}
		size := 0
		for _, s := range sheetsOf(t, tab) {
			size += len(s.separator) + len(s.page) + item
		}
		require.Less(t, size/rows, maxChunks+len("8 bytes."), order)
	}
}

// TestTableGivesRoomBack checks that the number of pages decreases when rows are deleted.
func TestTableGivesRoomBack(t *testing.T) {
	tab, err := newTable()
	require.NoError(t, err)
	ops := manyRows(20_000)
	require.NoError(t, tab.change(ops))
	before := len(sheetsOf(t, tab))
	for i := range ops {
		if i%20 == 0 {
			continue
		}
		ops[i].Delete = true
		require.NoError(t, tab.change(ops[i:i+1]))
	}
	require.Less(t, len(sheetsOf(t, tab)), before/4)
	for i := range ops {
		ops[i].Delete = true
	}
	require.NoError(t, tab.change(ops))
	require.Empty(t, sheetsOf(t, tab))
}

// TestWideRows checks that a change next to a wide row does not copy the row's page.
func TestWideRows(t *testing.T) {
	tab, err := newTable()
	require.NoError(t, err)
	wide := strings.Repeat("w", 100*pageSize)
	require.NoError(t, tab.change([]store.Op{{Key: "b1", Data: "1"}, {Key: "b2", Data: wide}, {Key: "b3", Data: "3"}}))
	require.Len(t, sheetsOf(t, tab), 3)
	require.NoError(t, tab.change([]store.Op{{Key: "b3", Delete: true}}))
	require.Len(t, sheetsOf(t, tab), 2)
	row := func() string {
		found, err := tab.scan("b2", "", 1)
		require.NoError(t, err)
		require.Equal(t, wide, found[0].Data)
		return found[0].Data
	}
	before := unsafe.StringData(row())
	require.NoError(t, tab.change([]store.Op{{Key: "b25", Data: "between"}}))
	require.Len(t, sheetsOf(t, tab), 3)
	require.Same(t, before, unsafe.StringData(row()), "the wide row was copied")
	require.NoError(t, tab.change([]store.Op{{Key: "b2", Data: "narrow"}}))
	found, err := tab.scan("b", "", 9)
	require.NoError(t, err)
	require.Equal(t, []store.Entry{{Key: "b1", Data: "1"}, {Key: "b2", Data: "narrow"}, {Key: "b25", Data: "between"}}, found)
}

// TestOrder checks the order of changes. Of changes with the same key, the last one counts.
func TestOrder(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 2))
		var ops []store.Op
		last := map[string]string{}
		for i := range random.IntN(300) {
			key := fmt.Sprint(random.IntN(1 + int(seed)))
			if random.IntN(3) > 0 && i > 0 {
				key = ops[i-1].Key + "+" // makes some parts sorted
			}
			ops = append(ops, store.Op{Key: key, Data: fmt.Sprint(i)})
			last[key] = fmt.Sprint(i)
		}
		var want []store.Op
		for _, key := range slices.Sorted(maps.Keys(last)) {
			want = append(want, store.Op{Key: key, Data: last[key]})
		}
		require.Equal(t, want, append([]store.Op(nil), ordered(ops)...))
	}
}

// TestLoadLots opens a file with more changes than fit into a lot, and with commands larger
// than the read buffer.
func TestLoadLots(t *testing.T) {
	path := filepath.Join(t.TempDir(), "db")
	db, err := Open(path)
	require.NoError(t, err)
	random := rand.New(rand.NewPCG(3, 4))
	rows := map[string]string{}
	for i := range 40 {
		var b store.Batch
		for range loadOps / 30 {
			key := fmt.Sprintf("%d/%d", random.IntN(4), random.IntN(loadOps))
			if random.IntN(8) == 0 {
				b.Delete(key)
				delete(rows, key)
				continue
			}
			rows[key] = fmt.Sprint(i)
			b.Put(key, rows[key])
		}
		wide := fmt.Sprintf("wide/%d", i%3)
		rows[wide] = strings.Repeat("w", loadWindow*(1+i%5)+i)
		b.Put(wide, rows[wide])
		_, err := db.Stage(t.Context(), b)
		require.NoError(t, err)
	}
	require.NoError(t, db.Close())
	db, err = Open(path)
	require.NoError(t, err)
	defer db.Close()
	sheetsOf(t, db.table)
	found, err := db.Scan(t.Context(), "", "", 2*len(rows))
	require.NoError(t, err)
	got := map[string]string{}
	for _, e := range found {
		got[e.Key] = e.Data
	}
	require.Equal(t, len(rows), len(found))
	require.True(t, maps.Equal(rows, got))
}
