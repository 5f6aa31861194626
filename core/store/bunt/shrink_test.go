package bunt

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/store"
)

// fill fills a store with more live keys than fit into a page of Shrink, and with overwritten
// ones.
func fill(t testing.TB, db *DB) {
	t.Helper()
	for round := range 3 {
		var b store.Batch
		for i := range shrinkPage + 10 {
			b.Put(fmt.Sprintf("k/%d", i), fmt.Sprintf("\x00%d", round))
		}
		b.Put("gone", "1")
		require.NoError(t, store.Apply(t.Context(), db, b))
	}
	var b store.Batch
	b.Delete("gone")
	require.NoError(t, store.Apply(t.Context(), db, b))
}

func TestShrink(t *testing.T) {
	db, disk, path := openDisk(t)
	fill(t, db)
	before, size := dump(t, db), db.Size()
	require.NoError(t, db.Shrink(t.Context()))
	require.Less(t, db.Size(), size/2)
	require.Equal(t, before, dump(t, db))

	require.NoError(t, store.Apply(t.Context(), db, batch("a", "1", "b", "2")))
	require.Equal(t, db.Size(), disk.durable.Load(), "the new file is the one that is synced")
	require.NoError(t, db.Shrink(t.Context()), "again")
	require.NoError(t, store.Apply(t.Context(), db, batch("b", "3")))
	require.NoError(t, db.Close())

	before["a"], before["b"] = "1", "3"
	require.Equal(t, before, dump(t, openPath(t, path)))
	left, err := filepath.Glob(path + ".*")
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestShrinkOfNothing(t *testing.T) {
	db, _, path := openDisk(t)
	require.NoError(t, db.Shrink(t.Context()))
	require.NoError(t, store.Apply(t.Context(), db, batch("a", "1")))
	require.NoError(t, db.Close())
	require.Equal(t, map[string]string{"a": "1"}, dump(t, openPath(t, path)))
}

// TestShrinkWhileWriting blocks the new file's first sync, after its pages have been written
// and before its tail is, and changes, deletes and adds keys in the meantime.
func TestShrinkWhileWriting(t *testing.T) {
	db, disk, path := openDisk(t)
	fill(t, db)
	gate, started := make(chan struct{}), make(chan struct{})
	disk.set(func(d *testDisk) { d.gate, d.started = gate, started })
	shrunk := make(chan error, 1)
	go func() { shrunk <- db.Shrink(t.Context()) }()
	<-started
	disk.set(func(d *testDisk) { d.gate, d.started = nil, nil })

	b := batch("k/1", "changed", "a", "added")
	b.Delete("k/2")
	durable, err := db.Stage(t.Context(), b)
	require.NoError(t, err)
	want := dump(t, db)
	require.NotContains(t, want, "k/2")
	close(gate)
	require.NoError(t, <-shrunk)
	require.NoError(t, durable(t.Context()))
	require.Equal(t, db.Size(), disk.durable.Load())

	require.Equal(t, want, dump(t, db))
	require.NoError(t, db.Close())
	require.Equal(t, want, dump(t, openPath(t, path)))
}

func TestShrinkAmongAppliers(t *testing.T) {
	db, _, path := openDisk(t)
	fill(t, db)
	want := maps.Clone(dump(t, db))
	var wg sync.WaitGroup
	for worker := range 4 {
		for i := range 50 {
			want[fmt.Sprintf("w/%d/%d", worker, i%20)] = strconv.Itoa(i)
		}
		wg.Go(func() {
			for i := range 50 {
				b := batch(fmt.Sprintf("w/%d/%d", worker, i%20), strconv.Itoa(i))
				if err := store.Apply(t.Context(), db, b); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for range 5 {
		require.NoError(t, db.Shrink(t.Context()))
	}
	wg.Wait()
	require.NoError(t, db.Healthy())
	require.NoError(t, db.Close())
	require.Equal(t, want, dump(t, openPath(t, path)))
}

// TestShrinkGivesUp checks that after any failure the old file stays in use, and no other file
// remains.
func TestShrinkGivesUp(t *testing.T) {
	full := errors.New("disk full")
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for name, c := range map[string]struct {
		ctx  context.Context
		fail func(*testDisk)
		want error
	}{
		"context":           {cancelled, func(*testDisk) {}, context.Canceled},
		"writing the pages": {t.Context(), func(d *testDisk) { d.writeErr = full }, full},
		"syncing the pages": {t.Context(), func(d *testDisk) { d.syncErr = full }, full},
	} {
		t.Run(name, func(t *testing.T) {
			db, disk, path := openDisk(t)
			fill(t, db)
			before, size := dump(t, db), db.Size()
			disk.set(c.fail)
			require.ErrorIs(t, db.Shrink(c.ctx), c.want)
			disk.set(func(d *testDisk) { d.writeErr, d.syncErr = nil, nil })

			require.NoError(t, db.Healthy())
			require.Equal(t, size, db.Size())
			left, err := filepath.Glob(path + ".*")
			require.NoError(t, err)
			require.Empty(t, left)
			require.NoError(t, store.Apply(t.Context(), db, batch("a", "1")))
			require.NoError(t, db.Close())
			before["a"] = "1"
			require.Equal(t, before, dump(t, openPath(t, path)))
		})
	}
}

// TestShrinkLeftover checks that the file that remains after a crash during Shrink is
// overwritten by the next Shrink.
func TestShrinkLeftover(t *testing.T) {
	db, _, path := openDisk(t)
	fill(t, db)
	want := dump(t, db)
	require.NoError(t, os.WriteFile(path+newSuffix, make([]byte, 1<<20), 0o600))
	require.NoError(t, db.Shrink(t.Context()))
	require.NoError(t, db.Close())
	require.Equal(t, want, dump(t, openPath(t, path)))
}

func TestShrinkClosed(t *testing.T) {
	db, _, path := openDisk(t)
	require.NoError(t, db.Close())
	require.ErrorIs(t, db.Shrink(t.Context()), store.ErrClosed)
	_, err := os.Stat(path + ".shrink")
	require.ErrorIs(t, err, os.ErrNotExist)
}
