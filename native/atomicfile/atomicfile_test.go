package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func only(t *testing.T, dir string, names ...string) {
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var found []string
	for _, e := range entries {
		found = append(found, e.Name())
	}
	require.Equal(t, names, found)
}

func TestCreateAndReplace(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	require.NoError(t, Create(path, []byte("first")))
	require.ErrorIs(t, Create(path, []byte("second")), fs.ErrExist)
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "first", string(content))

	require.NoError(t, Replace(path, []byte("third")))
	content, err = os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "third", string(content))
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o600), info.Mode())
	only(t, dir, "file")
}

func TestReplaceALink(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "other"), []byte("untouched"), 0o600))
	require.NoError(t, os.Symlink("other", filepath.Join(dir, "file")))
	require.NoError(t, Replace(filepath.Join(dir, "file"), []byte("new")))
	content, err := os.ReadFile(filepath.Join(dir, "other"))
	require.NoError(t, err)
	require.Equal(t, "untouched", string(content))
}

func TestFailureLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	require.ErrorIs(t, Create(filepath.Join(dir, "missing", "file"), nil), fs.ErrNotExist)
	require.NoError(t, os.Mkdir(path, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(path, "in"), nil, 0o600))
	require.Error(t, Replace(path, []byte("a folder is there")))
	only(t, dir, "file")

	failed := errors.New("half of it")
	half, err := New(filepath.Join(dir, "second"))
	require.NoError(t, err)
	require.ErrorIs(t, Finish(half, filepath.Join(dir, "second"), failed), failed)
	only(t, dir, "file")
}

func TestRemoveHalves(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	half, err := New(path)
	require.NoError(t, err)
	require.NoError(t, half.Close())
	others := []string{".file.", ".file.20261127", ".file.bak", ".file.half", ".file.old.half", ".file.swp", "file", "file.1.half"}
	for _, name := range others {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("a person's"), 0o600))
	}
	require.FileExists(t, half.Name())
	require.NoError(t, RemoveHalves(path))
	only(t, dir, others...)
	require.NoError(t, RemoveHalves(filepath.Join(dir, "missing", "file")))
}
