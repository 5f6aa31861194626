package disktest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/store"
	"obverse/core/store/bunt"
	"obverse/core/store/storetest"
)

// page is the page size of files of a Durable Object.
const page = 16384

var opened int

// newPath returns the path of a file that does not exist.
func newPath(t *testing.T) string {
	t.Helper()
	folder := os.Getenv("OBVERSE_STORE_FOLDER")
	if folder == "" {
		folder = t.TempDir()
	}
	opened++
	return filepath.Join(folder, fmt.Sprintf("store-%d", opened))
}

func open(t *testing.T, path string) *bunt.DB {
	t.Helper()
	db, err := bunt.OpenOn(path, bunt.Transactions)
	require.NoError(t, err)
	t.Cleanup(func() { _ = db.Close() }) // a test may have closed it
	return db
}

func TestContract(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.KV { return open(t, newPath(t)) })
}

// TestReopen reads written data again, from files of many pages, before and after they were
// rewritten.
func TestReopen(t *testing.T) {
	path := newPath(t)
	db := open(t, path)
	want := map[string]string{}
	for round := range 20 {
		var b store.Batch
		for n := range 50 {
			key, data := fmt.Sprintf("k/%03d", (round*37+n)%200), strings.Repeat(fmt.Sprint(round), 10+round*n)
			want[key] = data
			b.Put(key, data)
		}
		require.NoError(t, store.Apply(t.Context(), db, b))
		if round%5 == 4 {
			require.NoError(t, db.Shrink(t.Context()))
		}
		if round%3 == 2 {
			require.NoError(t, db.Close())
			db = open(t, path)
		}
	}
	require.NoError(t, db.Close())
	db = open(t, path)
	require.Zero(t, db.Findings().Cut.Bytes)
	entries, err := db.Scan(t.Context(), "k/", "", 1000)
	require.NoError(t, err)
	got := map[string]string{}
	for _, e := range entries {
		got[e.Key] = e.Data
	}
	require.Equal(t, want, got)
}

// content reads a file at offsets, as the store does.
func content(t *testing.T, path string) string {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	info, err := f.Stat()
	require.NoError(t, err)
	data := make([]byte, info.Size())
	_, err = f.ReadAt(data, 0)
	require.NoError(t, err)
	return string(data)
}

// TestTruncate checks that a truncated file keeps its remaining content, whether the truncation
// becomes durable before later writes or not.
func TestTruncate(t *testing.T) {
	data := strings.Repeat("0123456789abcdef", 3*page/16)
	for _, size := range []int64{0, 1, 100, page - 1, page, page + 1, 2*page + 5} {
		path := newPath(t)
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		require.NoError(t, err)
		_, err = f.WriteAt([]byte(data), 0)
		require.NoError(t, err)
		require.NoError(t, f.Sync())
		require.NoError(t, f.Truncate(size))
		require.NoError(t, f.Close()) // not synced
		got := content(t, path)
		require.GreaterOrEqual(t, len(got), int(size))
		require.True(t, data[:len(got)] == got, "size %d", size)
	}
}

// TestTruncateAndGrow checks that truncated data does not reappear.
func TestTruncateAndGrow(t *testing.T) {
	for _, synced := range []bool{true, false} {
		path := newPath(t)
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		require.NoError(t, err)
		_, err = f.WriteAt([]byte(strings.Repeat("x", 3*page)), 0)
		require.NoError(t, err)
		if synced {
			require.NoError(t, f.Sync())
		}
		require.NoError(t, f.Truncate(page+10))
		_, err = f.WriteAt([]byte("y"), 2*page+9)
		require.NoError(t, err)
		require.NoError(t, f.Sync())
		require.NoError(t, f.Close())
		want := strings.Repeat("x", page+10) + strings.Repeat("\x00", page-1) + "y"
		require.True(t, want == content(t, path), "synced %v", synced)
	}
}
