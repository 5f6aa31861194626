package storefile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"obverse/core/store"
	"obverse/core/store/bunt"
)

func quiet(int64, int64) {}

// opened returns a store with some changes.
func opened(t *testing.T, path string) *bunt.DB {
	t.Helper()
	db, err := bunt.Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func put(t *testing.T, db *bunt.DB, key, data string) {
	t.Helper()
	var b store.Batch
	b.Put(key, data)
	require.NoError(t, store.Apply(t.Context(), db, b))
}

func value(t *testing.T, path, key string) string {
	t.Helper()
	db := opened(t, path)
	values, err := db.Get(t.Context(), key)
	require.NoError(t, err)
	require.Zero(t, db.Findings())
	require.NoError(t, db.Close())
	return values[0].Data
}

func TestBackupOfARunningStore(t *testing.T) {
	dir := t.TempDir()
	path, target := filepath.Join(dir, "db"), filepath.Join(dir, "backup")
	db := opened(t, path)
	var writer sync.WaitGroup
	stop := make(chan struct{})
	put(t, db, "n", "0")
	writer.Go(func() {
		for i := 1; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			var b store.Batch
			b.Put("n", fmt.Sprint(i))
			b.Put(fmt.Sprint("k", i), strings.Repeat("x", i%3000))
			if err := store.Apply(t.Context(), db, b); err != nil {
				t.Error(err)
				return
			}
			if i%50 == 0 {
				if err := db.Shrink(t.Context()); err != nil {
					t.Error(err)
				}
			}
		}
	})
	for i := range 20 {
		key := fmt.Sprint("key", i)
		put(t, db, key, "yes")
		r, err := Backup(path, target, i > 0, quiet, nil)
		require.NoError(t, err)
		require.Equal(t, 2, r.Format)
		require.Equal(t, "yes", value(t, target, key), "what was acknowledged before is in it")
		info, err := os.Stat(target)
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	}
	close(stop)
	writer.Wait()
	_, err := Backup(path, target, false, quiet, nil)
	require.ErrorIs(t, err, ErrExists)
	requireFiles(t, dir, "backup", "db")
}

func requireFiles(t *testing.T, dir string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	require.Equal(t, names, got)
}

func TestRestore(t *testing.T) {
	dir := t.TempDir()
	path, target := filepath.Join(dir, "db"), filepath.Join(t.TempDir(), "backup")
	db := opened(t, path)
	put(t, db, "n", "before")
	_, err := Backup(path, target, false, quiet, nil)
	require.NoError(t, err)
	put(t, db, "n", "after")
	require.NoError(t, db.Close())

	replaced, err := Restore(target, path, quiet, nil)
	require.NoError(t, err)
	require.Equal(t, path+".replaced-1", replaced)
	require.Equal(t, "before", value(t, path, "n"))
	require.Equal(t, "after", value(t, replaced, "n"))
	require.Equal(t, "before", value(t, target, "n"), "the backup can be used again")
	replaced, err = Restore(target, path, quiet, nil)
	require.NoError(t, err)
	require.Equal(t, path+".replaced-2", replaced)

	half := filepath.Join(dir, ".db.123.half")
	require.NoError(t, os.WriteFile(half, []byte("a killed restore left this"), 0o600))
	_, err = Restore(target, path, quiet, nil)
	require.NoError(t, err)
	require.NoFileExists(t, half)

	hidden := filepath.Join(dir, ".db.bak")
	_, err = Backup(target, hidden, false, quiet, nil)
	require.NoError(t, err)
	_, err = Restore(hidden, path, quiet, nil)
	require.NoError(t, err)
	require.Equal(t, "before", value(t, hidden, "n"), "a backup in the store's folder stays, whatever its name")

	fresh := filepath.Join(t.TempDir(), "db")
	replaced, err = Restore(target, fresh, quiet, nil)
	require.NoError(t, err)
	require.Empty(t, replaced)
	require.Equal(t, "before", value(t, fresh, "n"))
}

// TestRestoreInvalidData checks that unusable data does not replace the store.
func TestRestoreInvalidData(t *testing.T) {
	dir := t.TempDir()
	path, backup := filepath.Join(dir, "db"), filepath.Join(t.TempDir(), "backup")
	db := opened(t, path)
	put(t, db, "n", "1")
	put(t, db, "n", "2")
	require.NoError(t, db.Close())
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	flipped := bytes.Clone(whole)
	flipped[len(flipped)-70] ^= 16
	for name, c := range map[string]struct {
		data []byte
		want error
	}{
		"nothing":      {nil, bunt.ErrCorrupt},
		"text":         {[]byte("hello"), bunt.ErrCorrupt},
		"cut off":      {whole[:len(whole)-1], bunt.ErrCorrupt},
		"a bit":        {flipped, bunt.ErrCorrupt},
		"more than it": {append(bytes.Clone(whole), "*3\r\n"...), ErrNotWhole},
	} {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, os.WriteFile(backup, c.data, 0o600))
			_, err := Restore(backup, path, quiet, nil)
			require.ErrorIs(t, err, c.want)
			require.ErrorContains(t, err, backup)
			requireFiles(t, dir, "db")
			require.Equal(t, "2", value(t, path, "n"))
			if name != "more than it" {
				_, err = Backup(backup, filepath.Join(dir, "copy"), false, quiet, nil)
				require.ErrorIs(t, err, c.want, "nor is it backed up")
				requireFiles(t, dir, "db")
			}
		})
	}
	_, err = Restore(filepath.Join(dir, "none"), path, quiet, nil)
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestCheck(t *testing.T) {
	path := filepath.Join(t.TempDir(), "db")
	db := opened(t, path)
	put(t, db, "a", "1")
	first := db.Size()
	put(t, db, "b", "2")
	second := db.Size()
	r, err := Check(path, quiet)
	require.NoError(t, err)
	require.Equal(t, bunt.Report{Format: 2, Size: second, End: second, Durable: second, Batches: 2, Keys: 2}, r)
	require.NoError(t, db.Close())

	data, err := os.ReadFile(path)
	require.NoError(t, err)
	data[first-70] ^= 1
	require.NoError(t, os.WriteFile(path, append(data, "torn"...), 0o600))
	r, err = Check(path, quiet)
	require.NoError(t, err)
	require.ErrorIs(t, r.Err(), bunt.ErrCorrupt)
	require.Equal(t, []bunt.Damage{{From: 12288, To: first, Acknowledged: true}, {From: second, To: second + 4}}, r.Damages)
	require.Equal(t, 1, r.Batches, "the one behind the damage")
	_, err = Check(filepath.Dir(path), quiet)
	require.Error(t, err)
}

// TestCheckOfARunningStore checks that a write is included if it was acknowledged while the check
// began.
func TestCheckOfARunningStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "db")
	db := opened(t, path)
	var writer sync.WaitGroup
	stop := make(chan struct{})
	writer.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			var b store.Batch
			b.Put("n", fmt.Sprint(i))
			if err := store.Apply(t.Context(), db, b); err != nil {
				t.Error(err)
				return
			}
		}
	})
	defer writer.Wait()
	defer close(stop)
	for range 400 {
		r, err := Check(path, quiet)
		require.NoError(t, err)
		require.NoError(t, r.Err())
	}
}

// TestWrongFiles checks that folders and files other than stores are refused with their name, and
// that no files are left over.
func TestWrongFiles(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "db")
	put(t, opened(t, path), "a", "1")
	folder := filepath.Join(dir, "folder")
	require.NoError(t, os.Mkdir(folder, 0o700))
	before, err := os.ReadDir(dir)
	require.NoError(t, err)

	_, err = Check(folder, quiet)
	require.ErrorContains(t, err, folder)
	require.ErrorContains(t, err, "not a regular file")
	_, err = Backup(path, folder, true, quiet, nil)
	require.ErrorContains(t, err, folder)
	_, err = Restore(folder, path, quiet, nil)
	require.ErrorContains(t, err, folder)
	require.ErrorContains(t, err, "not a regular file")
	_, err = Backup(path, path, true, quiet, nil)
	require.ErrorIs(t, err, ErrSame, "the running node would go on in a file that has no name")
	link := filepath.Join(dir, "link")
	require.NoError(t, os.Link(path, link))
	_, err = Backup(path, link, true, quiet, nil)
	require.ErrorIs(t, err, ErrSame)
	_, err = Restore(path, path, quiet, nil)
	require.ErrorIs(t, err, ErrSame)
	require.NoError(t, os.Remove(link))

	after, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Equal(t, len(before), len(after))
	require.Equal(t, "1", value(t, path, "a"))
}

// TestBackupReplacesCopiesOnly checks that a backup does not overwrite a config, a wallet, or a
// store that a process uses.
func TestBackupReplacesCopiesOnly(t *testing.T) {
	dir := t.TempDir()
	path, target := filepath.Join(dir, "db"), filepath.Join(dir, "target")
	put(t, opened(t, path), "a", "1")
	for _, text := range []string{`{"passphrase":"the only copy"}`, "x", "*3\r\n$3\r\nget\r\n"} {
		require.NoError(t, os.WriteFile(target, []byte(text), 0o600))
		_, err := Backup(path, target, true, quiet, nil)
		require.ErrorIs(t, err, ErrOther)
		require.ErrorContains(t, err, target)
		stored, err := os.ReadFile(target)
		require.NoError(t, err)
		require.Equal(t, text, string(stored))
	}
	require.NoError(t, os.Remove(target))
	require.NoError(t, os.Symlink(path, target))
	_, err := Backup(path, target, true, quiet, nil)
	require.ErrorIs(t, err, ErrSame)
	require.NoError(t, os.Remove(target))
	require.NoError(t, os.Symlink("nowhere", target))
	_, err = Backup(path, target, true, quiet, nil)
	require.ErrorIs(t, err, ErrNotAFile)

	require.NoError(t, os.Remove(target))
	for _, old := range [][]byte{nil, []byte("*3\r\n$3\r\nset\r\n$1\r\na\r\n$1\r\n0\r\n")} {
		require.NoError(t, os.WriteFile(target, old, 0o600))
		_, err = Backup(path, target, true, quiet, nil)
		require.NoError(t, err)
		require.Equal(t, "1", value(t, target, "a"))
	}
	var lock Lock
	require.NoError(t, lock.Take(target))
	_, err = Backup(path, target, true, quiet, nil)
	require.ErrorIs(t, err, ErrInUse)
	require.NoError(t, lock.Release())
	_, err = Backup(path, target, true, quiet, nil)
	require.NoError(t, err)
	requireFiles(t, dir, "db", "target")
}

// TestLock checks that the file is locked under all of its names, and that the lock applies to the
// file that replaces it.
func TestLock(t *testing.T) {
	dir := t.TempDir()
	path, second := filepath.Join(dir, "db"), filepath.Join(dir, "second")
	var one, other Lock
	require.NoError(t, one.Take(path), "no file yet")
	require.NoError(t, one.Release())
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	require.NoError(t, os.Link(path, second))
	for range 2 {
		require.NoError(t, one.Take(path))
		require.ErrorIs(t, other.Take(second), ErrInUse)
	}
	require.NoError(t, os.WriteFile(path+".new", nil, 0o600))
	require.NoError(t, os.Rename(path+".new", path))
	require.NoError(t, other.Take(path))
	require.ErrorIs(t, one.Take(path), ErrInUse)
	require.NoError(t, other.Release())
	require.NoError(t, one.Take(path))
	require.NoError(t, other.Take(second))
	require.ErrorIs(t, other.Take(path), ErrInUse)
	require.NoError(t, errors.Join(one.Release(), one.Release(), other.Release()))
}

// TestRestoresAreLimited checks that the error contains advice if there are too many stores.
func TestRestoresAreLimited(t *testing.T) {
	dir := t.TempDir()
	path, backup := filepath.Join(dir, "db"), filepath.Join(t.TempDir(), "backup")
	put(t, opened(t, path), "a", "1")
	_, err := Backup(path, backup, false, quiet, nil)
	require.NoError(t, err)
	for n := 1; n <= maxReplaced; n++ {
		require.NoError(t, os.WriteFile(replacedName(path, n), nil, 0o600))
	}
	_, err = Restore(backup, path, quiet, nil)
	require.ErrorContains(t, err, "100 files named "+path+".replaced-N exist already: move some of them away")
}

func TestTighten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "db")
	wide, err := Tighten(path)
	require.NoError(t, err)
	require.False(t, wide)
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	require.NoError(t, os.Chmod(path, 0o644))
	for _, want := range []bool{true, false} {
		wide, err = Tighten(path)
		require.NoError(t, err)
		require.Equal(t, want, wide)
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.EqualValues(t, 0o600, info.Mode().Perm())
	}
}

// TestMentions checks that a key is found regardless of how the reads divide it.
func TestMentions(t *testing.T) {
	for _, c := range []struct {
		text string
		want bool
	}{
		{"", false}, {"$9\r\niproducer\r\n$2\r\nxx\r\n", true}, {"$10\r\niproducers\r\n", false},
		{strings.Repeat("x", 3<<20) + "\r\niproducer\r\n", true}, {strings.Repeat("x", 1<<20-6) + "\r\niproducer\r\n" + strings.Repeat("y", 1<<20), true},
	} {
		for _, wrap := range []func(io.Reader) io.Reader{func(r io.Reader) io.Reader { return r }, iotest.HalfReader} {
			got, err := Mentions(wrap(strings.NewReader(c.text)), "iproducer")
			require.NoError(t, err)
			require.Equal(t, c.want, got)
		}
	}
}

// TestChange checks that records deleted from a copy are no longer in its file.
func TestChange(t *testing.T) {
	dir := t.TempDir()
	path, target := filepath.Join(dir, "db"), filepath.Join(dir, "backup")
	db := opened(t, path)
	put(t, db, "keep", "1")
	put(t, db, "secret", "APIKEY")
	drop := func(db *bunt.DB) (bool, error) {
		var b store.Batch
		b.Delete("secret")
		return true, store.Apply(t.Context(), db, b)
	}
	r, err := Backup(path, target, false, quiet, drop)
	require.NoError(t, err)
	require.Equal(t, 1, r.Keys)
	for _, file := range []string{target, filepath.Join(dir, "restored")} {
		if file != target {
			_, err := Restore(path, file, quiet, drop)
			require.NoError(t, err)
		}
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NotContains(t, string(data), "APIKEY")
		require.Equal(t, "1", value(t, file, "keep"))
	}
	require.Equal(t, "APIKEY", value(t, path, "secret"), "the store itself stays as it is")
	wrong := errors.New("refused")
	_, err = Backup(path, target, true, quiet, func(*bunt.DB) (bool, error) { return true, wrong })
	require.ErrorIs(t, err, wrong)
	_, err = Restore(path, filepath.Join(dir, "other"), quiet, func(*bunt.DB) (bool, error) { return true, wrong })
	require.ErrorIs(t, err, wrong)
	requireFiles(t, dir, "backup", "db", "restored")
}
