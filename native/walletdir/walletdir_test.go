package walletdir_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/key/wallets"
	"obverse/native/walletdir"
)

func names(t *testing.T, d *walletdir.Dir) []string {
	all, err := d.Names(t.Context())
	require.NoError(t, err)
	return slices.Sorted(slices.Values(all))
}

func TestLifeOfAFile(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "data")
	d := walletdir.New(folder, "obverse.json")
	require.Empty(t, names(t, d), "the folder is made with the first wallet")
	_, err := d.Read(t.Context(), "a")
	require.ErrorIs(t, err, wallets.ErrNotFound)

	require.NoError(t, d.Create(t.Context(), "a", []byte("one")))
	require.ErrorIs(t, d.Create(t.Context(), "a", []byte("two")), wallets.ErrExists)
	text, err := d.Read(t.Context(), "a")
	require.NoError(t, err)
	require.Equal(t, "one", string(text))
	info, err := os.Stat(filepath.Join(folder, "a.json"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())

	half := func(name string) {
		require.NoError(t, os.WriteFile(filepath.Join(folder, "."+name+".json.123.half"), []byte("half"), 0o600))
	}
	hidden := filepath.Join(folder, ".a.json.20261127")
	require.NoError(t, os.WriteFile(hidden, []byte("a person's copy"), 0o600))
	half("a")
	require.NoError(t, d.Replace(t.Context(), "a", []byte("three")))
	require.NoFileExists(t, filepath.Join(folder, ".a.json.123.half"))
	text, err = d.Read(t.Context(), "a")
	require.NoError(t, err)
	require.Equal(t, "three", string(text))
	require.NoError(t, d.Create(t.Context(), "Größe 2_b-c", []byte("x")))
	require.Equal(t, []string{"Größe 2_b-c", "a"}, names(t, d))

	half("a")
	require.NoError(t, d.Remove(t.Context(), "a"))
	require.ErrorIs(t, d.Remove(t.Context(), "a"), wallets.ErrNotFound)
	files, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Len(t, files, 2, "no halves are left")
	require.FileExists(t, hidden)
}

// On a file system that ignores case, a file has multiple names. Only its actual name counts, so
// that "W" is not deleted while "w" is active.
func TestNamesThatDifferInCase(t *testing.T) {
	folder := t.TempDir()
	d := walletdir.New(folder, "obverse.json")
	require.NoError(t, d.Create(t.Context(), "Größe", []byte("one")))
	err := d.Create(t.Context(), "gRÖSSE", []byte("two"))
	require.NoError(t, err, "ß is no SS")
	for _, name := range []string{"größe", "GRÖßE"} {
		err = d.Create(t.Context(), name, []byte("two"))
		require.ErrorIs(t, err, wallets.ErrExists)
		require.ErrorContains(t, err, `as "Größe": names must differ in more than case`)
		_, err = d.Read(t.Context(), name)
		require.ErrorIs(t, err, wallets.ErrNotFound)
		require.ErrorIs(t, d.Replace(t.Context(), name, []byte("two")), wallets.ErrNotFound)
		require.ErrorIs(t, d.Remove(t.Context(), name), wallets.ErrNotFound)
	}
	require.NoError(t, os.WriteFile(filepath.Join(folder, "GRÖßE.json"), []byte("of before"), 0o600))
	text, err := d.Read(t.Context(), "GRÖßE")
	require.NoError(t, err, "two that are there already are two")
	require.Equal(t, "of before", string(text))
	require.ErrorContains(t, d.Create(t.Context(), "Obverse", nil), "reserved for the node's own file obverse.json")
	require.ErrorIs(t, d.Create(t.Context(), "Obverse", nil), wallets.ErrName)
}

func TestOnlyWalletsAreListed(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"obverse.json", "mine.json", ".hidden.json", "obverse.db", "a.b.json"} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte("{}"), 0o600))
	}
	require.NoError(t, os.Mkdir(filepath.Join(folder, "folder.json"), 0o700))
	d := walletdir.New(folder, "obverse.json")
	require.Equal(t, []string{"mine"}, names(t, d))
	for _, name := range []string{"obverse", "../mine", ".hidden", ""} {
		_, err := d.Read(t.Context(), name)
		require.ErrorIs(t, err, wallets.ErrName)
		require.ErrorIs(t, d.Create(t.Context(), name, nil), wallets.ErrName)
		require.ErrorIs(t, d.Replace(t.Context(), name, nil), wallets.ErrName)
		require.ErrorIs(t, d.Remove(t.Context(), name), wallets.ErrName)
	}
	_, err := d.Read(t.Context(), "folder")
	require.ErrorContains(t, err, "is not a wallet file")
	require.NoError(t, os.WriteFile(filepath.Join(folder, "mine.json"), bytes.Repeat([]byte(" "), 64<<10+1), 0o600))
	_, err = d.Read(t.Context(), "mine")
	require.ErrorContains(t, err, "at most 65536 bytes")
}

func TestStoreFolder(t *testing.T) {
	dir := t.TempDir()
	const first, second = "b506088aa2a3b4bb1da3a29bf00ce1a550ea1df9", "d091c7d93f584e13a6146d503fe9cd7833913a75"
	put := func(folder string) {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, folder), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, folder, "store"), nil, 0o600))
	}
	requireFolder := func(want string) {
		t.Helper()
		got, err := walletdir.StoreFolder(dir, "store")
		require.NoError(t, err)
		require.Equal(t, filepath.Join(dir, want), got)
	}
	requireFolder("")
	put("no hash")
	require.NoError(t, os.Mkdir(filepath.Join(dir, second), 0o700))
	requireFolder("")
	put(first)
	requireFolder(first)
	put(second)
	_, err := walletdir.StoreFolder(dir, "store")
	require.ErrorContains(t, err, "stores of 2 wallets")
	require.ErrorContains(t, err, filepath.Join(dir, second))
	put("")
	requireFolder("")
	require.True(t, walletdir.IsFolder(filepath.Join(dir, first)))
	require.False(t, walletdir.IsFolder(dir))
}

// TestLinks checks that links are rejected. The file elsewhere would keep the previous password, or
// the phrase after a deletion.
func TestLinks(t *testing.T) {
	folder, elsewhere := t.TempDir(), filepath.Join(t.TempDir(), "real.dat")
	require.NoError(t, os.WriteFile(elsewhere, []byte("encrypted"), 0o600))
	link := filepath.Join(folder, "alice.json")
	d := walletdir.New(folder, "obverse.json")
	for _, target := range []string{elsewhere, "nowhere"} {
		require.NoError(t, os.Symlink(target, link))
		_, err := d.Read(t.Context(), "alice")
		require.ErrorContains(t, err, link+" is a symbolic link")
		require.ErrorContains(t, d.Replace(t.Context(), "alice", []byte("new")), "symbolic link")
		require.ErrorContains(t, d.Remove(t.Context(), "alice"), "symbolic link")
		require.ErrorIs(t, d.Create(t.Context(), "alice", []byte("new")), wallets.ErrExists)
		got, err := os.Readlink(link)
		require.NoError(t, err)
		require.Equal(t, target, got, "nothing was changed")
		require.NoError(t, os.Remove(link))
	}
	text, err := os.ReadFile(elsewhere)
	require.NoError(t, err)
	require.Equal(t, "encrypted", string(text))
}
