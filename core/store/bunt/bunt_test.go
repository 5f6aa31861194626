package bunt

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/buntdb"

	"obverse/core/store"
	"obverse/core/store/storetest"
)

func TestContractInMemory(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.KV { return openPath(t, Memory) })
}

func TestContractOnFile(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.KV {
		return openPath(t, filepath.Join(t.TempDir(), "db"))
	})
}

func TestFileIsPrivate(t *testing.T) {
	db, _, path := openDisk(t)
	requirePrivate(t, path)
	require.NoError(t, store.Apply(t.Context(), db, batch("a", "1")))
	require.NoError(t, db.Shrink(t.Context()))
	requirePrivate(t, path)
}

func requirePrivate(t *testing.T, path string) {
	t.Helper()
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
}

func TestOpenInMissingFolder(t *testing.T) {
	_, err := Open(filepath.Join(t.TempDir(), "no folder", "db"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestClosed(t *testing.T) {
	for name, path := range map[string]string{
		"memory": Memory,
		"file":   filepath.Join(t.TempDir(), "db"),
	} {
		t.Run(name, func(t *testing.T) {
			db := openPath(t, path)
			durable, err := db.Stage(t.Context(), batch("a", "1"))
			require.NoError(t, err)
			require.NoError(t, db.Close())

			require.NoError(t, durable(t.Context()), "closing makes everything durable")
			_, err = db.Get(t.Context(), "a")
			require.ErrorIs(t, err, store.ErrClosed)
			_, err = db.Scan(t.Context(), "", "", 1)
			require.ErrorIs(t, err, store.ErrClosed)
			_, err = db.Stage(t.Context(), batch("a", "2"))
			require.ErrorIs(t, err, store.ErrClosed)
			require.ErrorIs(t, db.Close(), store.ErrClosed)
			require.NoError(t, db.Healthy())
		})
	}
}

func TestCloseSyncs(t *testing.T) {
	db, disk, path := openDisk(t)
	_, err := db.Stage(t.Context(), batch("a", "1", "b", "2"))
	require.NoError(t, err)
	require.Less(t, disk.durable.Load(), db.Size())
	require.NoError(t, db.Close())
	require.Equal(t, db.Size(), disk.durable.Load())
	require.Equal(t, map[string]string{"a": "1", "b": "2"}, dump(t, openPath(t, path)))
}

// TestPlainBuntdb checks that plain buntdb can read the file, and that this package can read
// data written by plain buntdb.
func TestPlainBuntdb(t *testing.T) {
	path := filepath.Join(t.TempDir(), "db")
	db := openPath(t, path)
	b := batch("a", "1", "b", "\x00\r\n", "c", "", "\xff", "2")
	b.Delete("a")
	require.NoError(t, store.Apply(t.Context(), db, b))
	require.NoError(t, store.Apply(t.Context(), db, batch("d", "3", "c", "4")))
	want := dump(t, db)
	require.NoError(t, db.Close())
	ours, err := os.ReadFile(path)
	require.NoError(t, err)

	folder := filepath.Join(t.TempDir(), "own")
	plain, err := buntdb.Open(path)
	require.NoError(t, err)
	read := map[string]string{}
	require.NoError(t, plain.View(func(tx *buntdb.Tx) error {
		return tx.Ascend("", func(key, data string) bool {
			read[key] = data
			return true
		})
	}))
	require.Contains(t, read, "", "the key of the seals")
	delete(read, "")
	require.Equal(t, want, read)
	require.NoError(t, plain.Close())
	now, err := os.ReadFile(path)
	require.NoError(t, err)
	require.True(t, bytes.Equal(ours, now), "reading changes nothing")

	plain, err = buntdb.Open(folder)
	require.NoError(t, err)
	require.NoError(t, plain.Update(func(tx *buntdb.Tx) error {
		_, _, err := tx.Set("d", "3", nil)
		return err
	}))
	require.NoError(t, plain.Close())
	db = openPath(t, folder)
	require.Equal(t, map[string]string{"d": "3"}, dump(t, db))
	require.True(t, db.Findings().Upgraded)
}
