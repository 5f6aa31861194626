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

var opened int

// newPath is where no store is yet.
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

// TestReopen finds again what was written, in files of many pages, before and after they
// were written anew.
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
