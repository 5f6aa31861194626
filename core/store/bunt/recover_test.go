package bunt

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/store"
)

// history stages batches with overlapping keys, deletes and binary data, and returns the
// bytes of the file and, for each batch, its end in the file and the state after it.
// The first state is that of the empty file.
func history(t *testing.T) (file []byte, ends []int64, states []map[string]string) {
	batches := []store.Batch{
		batch("a", "1", "b", "2", "c", "3", "\x00", "\x00\x00", "dup", "old"),
		batch("single", "x"),
		batch("a", "one", "nul", "a\x00b", "crlf", "\r\n*2\r\n$3\r\ndel\r\n", "empty", ""),
		batch("b", "two", "dup", "1", "long", strings.Repeat("\xff\x00", 50), "tail", "\x00\x00\x00"),
		batch("tail", "ends with\x00\x00"),
	}
	batches[2].Delete("b")
	batches[3].Delete("a")
	batches[3].Delete("was never there")
	batches[3].Put("dup", "2")
	batches[3].Delete("single")

	path := filepath.Join(t.TempDir(), "db")
	db := openPath(t, path)
	ends, states = []int64{0}, []map[string]string{{}}
	for _, b := range batches {
		require.NoError(t, store.Apply(t.Context(), db, b))
		ends, states = append(ends, db.Size()), append(states, dump(t, db))
	}
	require.NoError(t, db.Close())
	file, err := os.ReadFile(path)
	require.NoError(t, err)
	require.EqualValues(t, len(file), ends[len(ends)-1])
	return file, ends, states
}

// TestCutAtEveryByte is the promise of the package: a file cut anywhere opens as the
// state after the last batch that is whole in it, and goes on from there. A crash may
// also leave zeroes in place of what was cut.
func TestCutAtEveryByte(t *testing.T) {
	file, ends, states := history(t)
	path := filepath.Join(t.TempDir(), "cut")
	for cut := 0; cut <= len(file); cut++ {
		whole := 0
		for int64(cut) >= ends[whole] {
			if whole++; whole == len(ends) {
				break
			}
		}
		want := states[whole-1]
		for _, zeroes := range []int{0, 1, len(file) - cut, 5000} {
			torn := append(file[:cut:cut], make([]byte, zeroes)...)
			require.NoError(t, os.WriteFile(path, torn, 0o600))
			requireRecovers(t, path, want, cut)
		}
	}
}

// requireRecovers opens the file, writes to it, and opens it once more.
func requireRecovers(t *testing.T, path string, want map[string]string, cut int) {
	t.Helper()
	db, err := Open(path)
	require.NoError(t, err, "cut at %d", cut)
	require.Equal(t, want, dump(t, db), "cut at %d", cut)
	require.NoError(t, store.Apply(t.Context(), db, batch("new", "1", "newer", "\x00")))
	require.NoError(t, db.Close())

	after := maps.Clone(want)
	after["new"], after["newer"] = "1", "\x00"
	db, err = Open(path)
	require.NoError(t, err, "cut at %d, opened again", cut)
	require.Equal(t, after, dump(t, db), "cut at %d, opened again", cut)
	require.NoError(t, db.Close())
}

func TestCutIsTold(t *testing.T) {
	file, ends, _ := history(t)
	path := filepath.Join(t.TempDir(), "cut")
	for name, c := range map[string]struct {
		file []byte
		want int64
	}{
		"whole":           {file, 0},
		"one byte less":   {file[:len(file)-1], ends[len(ends)-1] - 1 - ends[len(ends)-2]},
		"between batches": {file[:ends[2]], 0},
		"zeroes":          {append(file[:ends[2]:ends[2]], 0, 0, 0), 3},
	} {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, os.WriteFile(path, c.file, 0o600))
			db, err := Open(path)
			require.NoError(t, err)
			require.Equal(t, c.want, db.Cut())
			require.NoError(t, db.Close())
		})
	}
	require.Zero(t, openPath(t, Memory).Cut())
}

// TestOpenSyncs: what a killed process wrote but did not sync can be read after opening,
// so it must be durable by then.
func TestOpenSyncs(t *testing.T) {
	file, _, _ := history(t)
	path := filepath.Join(t.TempDir(), "db")
	require.NoError(t, os.WriteFile(path, file, 0o600))
	var d testDisk
	db, err := open(path, d.open)
	require.NoError(t, err)
	require.EqualValues(t, len(file), d.durable.Load())
	require.NoError(t, db.Close())

	d.set(func(d *testDisk) { d.syncErr = os.ErrInvalid })
	_, err = open(path, d.open)
	require.ErrorIs(t, err, os.ErrInvalid)
}

func TestRecoverAfterShortWrite(t *testing.T) {
	for _, short := range []int{0, 1, 40} {
		db, disk, path := openDisk(t)
		require.NoError(t, store.Apply(t.Context(), db, batch("a", "1", "b", "1")))
		before := dump(t, db)
		disk.set(func(d *testDisk) { d.writeErr, d.short = os.ErrDeadlineExceeded, short })
		_, err := db.Stage(t.Context(), batch("a", "2", "b", "2"))
		require.ErrorIs(t, err, store.ErrFailed)
		require.Equal(t, before, dump(t, db))
		require.ErrorIs(t, db.Close(), store.ErrFailed)
		require.Equal(t, before, dump(t, openPath(t, path)))
	}
}
