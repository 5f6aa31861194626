package node

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/store/bunt"
	"obverse/native/datalock"
	"obverse/native/storefile"
)

// TestStoreThroughALink checks that the file stays where it is, and that no node can use it through
// a link in a second data folder at the same time.
func TestStoreThroughALink(t *testing.T) {
	elsewhere, first, second := t.TempDir(), t.TempDir(), t.TempDir()
	file := filepath.Join(elsewhere, "kept.db")
	for _, dir := range []string{first, second} {
		require.NoError(t, os.Symlink(file, filepath.Join(dir, StoreFile)))
	}
	b, _ := newBackend(first)
	require.NoError(t, b.open(t.Context(), func() {}))
	require.NoError(t, b.db.Shrink(t.Context()))
	other, _ := newBackend(second)
	require.ErrorIs(t, other.open(t.Context(), func() {}), datalock.ErrRunning)
	require.NoError(t, other.close())
	require.NoError(t, b.close())

	info, err := os.Lstat(filepath.Join(first, StoreFile))
	require.NoError(t, err)
	require.Equal(t, os.ModeSymlink, info.Mode().Type(), "the link is still one")
	db, err := bunt.Open(file)
	require.NoError(t, err)
	require.NoError(t, db.Close())
	require.NoError(t, func() error { b, _ := newBackend(second); defer b.close(); return b.open(t.Context(), func() {}) }())
}

// TestStoreOfTwoNames checks that two data folders with the same store under two names cannot be
// used at the same time, even after a compaction has replaced the file.
func TestStoreOfTwoNames(t *testing.T) {
	first, second := t.TempDir(), t.TempDir()
	b, _ := newBackend(first)
	require.NoError(t, b.open(t.Context(), func() {}))
	defer func() { require.NoError(t, b.close()) }()
	for _, change := range []func() error{
		func() error { return nil },
		func() error {
			err := b.db.Shrink(t.Context())
			b.lockAgain()
			return err
		},
	} {
		require.NoError(t, change())
		require.NoError(t, os.Link(filepath.Join(first, StoreFile), filepath.Join(second, StoreFile)))
		other, _ := newBackend(second)
		require.ErrorIs(t, other.open(t.Context(), func() {}), storefile.ErrInUse)
		require.NoError(t, other.close())
		_, err := LockStore(second, filepath.Join(second, StoreFile))
		require.ErrorIs(t, err, storefile.ErrInUse)
		require.NoError(t, os.Remove(filepath.Join(second, StoreFile)))
	}
}
