package bunt

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/store"
)

// TestReadOpOfChangedText checks that words with an invalid end or length are refused, since a
// second read may return other bytes than those that were surveyed.
func TestReadOpOfChangedText(t *testing.T) {
	const whole = putMore + "$1\r\nk\r\n$2\r\nab\r\n"
	op, size, last, err := readOp(whole)
	require.NoError(t, err)
	require.Equal(t, len(whole), size)
	require.Equal(t, "ab", op.Data)
	require.False(t, last)
	for _, text := range []string{
		putMore + "$9223372036854775807\r\nk\r\n$2\r\nab\r\n",
		putMore + "$1\r\nk\r\n$9223372036854775806\r\nab\r\n",
		putMore + "$1\r\nk\r\n$-1\r\nab\r\n",
		putMore + "$1\r\nk\r\n$1\r\nab\r\n",
		putMore + "$1\r\nk\n\n$2\r\nab\r\n",
		putMore + "$1\r\nk\r\n$2\n\nab\r\n",
	} {
		_, size, _, err := readOp(text)
		require.True(t, err != nil || size == 0, "%q", text)
	}
}

// fickleDisk returns one wrong bit of a file in the read with a given number.
type fickleDisk struct {
	*simDisk
	at, reading int64
}

type fickleFile struct {
	file
	*fickleDisk
}

func (d *fickleDisk) open(path string, flag int) (file, error) {
	f, err := d.simDisk.open(path, flag)
	return fickleFile{f, d}, err
}

func (f fickleFile) ReadAt(p []byte, from int64) (int, error) {
	n, err := f.file.ReadAt(p, from)
	if from <= f.at && f.at < from+int64(n) {
		if f.reading--; f.reading < 0 && f.reading >= -1 {
			p[f.at-from] ^= 1 << (f.at % 8)
		}
	}
	return n, err
}

// TestOpenOfFickleDisk checks that a bit that is read wrongly once never results in a row that
// was not written, regardless of the read in which it happens.
func TestOpenOfFickleDisk(t *testing.T) {
	const path = "/fickle.db"
	disk := newSimDisk()
	db, err := open(path, disk)
	require.NoError(t, err)
	for i := range 4 {
		require.NoError(t, store.Apply(t.Context(), db, batch("tip", fmt.Sprint(i), fmt.Sprintf("block/%d", i), "some data")))
	}
	want := dump(t, db)
	require.NoError(t, db.Close())
	data := disk.names[path].now
	refused := 0
	for at := int64(headSize); at < int64(len(data)); at++ {
		for reading := range int64(3) {
			db, err := open(path, &fickleDisk{simDiskOf(path, data), at, reading})
			if err != nil {
				require.ErrorIs(t, err, ErrCorrupt)
				refused++
				continue
			}
			require.Equal(t, want, dump(t, db), "byte %d in reading %d", at, reading)
			require.NoError(t, db.Close())
		}
	}
	require.NotZero(t, refused)
}
