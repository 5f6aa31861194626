package cli

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/store"
	"obverse/core/store/bunt"
	"obverse/native/node"
)

// TestStoreNextToANewConfig checks that a store which is put next to a config that never had a
// store is treated as foreign, although its rows name no owner.
func TestStoreNextToANewConfig(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, obverse(dir, "init", "-regtest").Run())
	path := filepath.Join(dir, node.StoreFile)
	const row = "N/coin/X"
	db, err := bunt.Open(path)
	require.NoError(t, err)
	var b store.Batch
	b.Put(row, "{}")
	require.NoError(t, store.Apply(t.Context(), db, b))
	require.NoError(t, db.Close())

	n := start(t, dir)
	require.NoError(t, n.process.Process.Signal(syscall.SIGTERM))
	require.NoError(t, n.process.Wait())
	for file, there := range map[string]bool{path: false, path + ".replaced-1": true} {
		db, err = bunt.Open(file)
		require.NoError(t, err)
		found, err := db.Get(t.Context(), row)
		require.NoError(t, errors.Join(err, db.Close()))
		require.Equal(t, there, found[0].Present, file)
	}
}
