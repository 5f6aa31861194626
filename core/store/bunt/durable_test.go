package bunt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/store"
)

func TestAppliersShareSyncs(t *testing.T) {
	db, disk, _ := openDisk(t)
	gate, started := make(chan struct{}), make(chan struct{}, 1)
	disk.set(func(d *testDisk) { d.gate, d.started = gate, started })
	before := disk.syncs.Load()

	const appliers = 200
	var staged, wg sync.WaitGroup
	errs := make([]error, appliers)
	staged.Add(appliers)
	for i := range appliers {
		wg.Go(func() {
			durable, err := db.Stage(t.Context(), batch(fmt.Sprint(i), "1"))
			staged.Done()
			if err == nil {
				err = durable(t.Context())
			}
			errs[i] = err
		})
	}
	staged.Wait()
	close(gate) // a sync that has already begun may lack some batches; the next one has all of them
	disk.set(func(d *testDisk) { d.started = nil })
	wg.Wait()
	require.NoError(t, errors.Join(errs...))
	require.LessOrEqual(t, disk.syncs.Load()-before, int64(3))
}

// TestAppliedSurvives copies the durable part of the file each time that Apply returns, and
// opens the copy.
func TestAppliedSurvives(t *testing.T) {
	db, disk, path := openDisk(t)
	var wg sync.WaitGroup
	for worker := range 6 {
		wg.Go(func() {
			for i := range 8 {
				key := fmt.Sprintf("%d/%d", worker, i)
				if err := store.Apply(t.Context(), db, batch(key, "1", key+"/b", "2")); err != nil {
					t.Error(err)
					return
				}
				if err := holds(t.Context(), path, disk.durable.Load(), key); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

// holds returns an error unless the first bytes of the file contain key.
func holds(ctx context.Context, path string, size int64, key string) error {
	whole, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	v, err := surveyFile(bytes.NewReader(whole), size, readHead(whole[:headSize]), nil)
	if err != nil {
		return err
	}
	needle := appendOp(nil, &store.Op{Key: key, Data: "1"})
	if !bytes.Contains(whole[:v.size], needle) {
		return fmt.Errorf("%s was applied and is not on the disk", key)
	}
	return ctx.Err()
}

func TestOnlyWaitersWaitForSync(t *testing.T) {
	db, disk, _ := openDisk(t)
	gate, started := make(chan struct{}), make(chan struct{})
	disk.set(func(d *testDisk) { d.gate, d.started = gate, started })
	durable, err := db.Stage(t.Context(), batch("a", "1"))
	require.NoError(t, err)
	waited := make(chan error, 1)
	go func() { waited <- durable(t.Context()) }()
	<-started

	values, err := db.Get(t.Context(), "a")
	require.NoError(t, err)
	require.Equal(t, store.Value{Data: "1", Present: true}, values[0])
	require.Equal(t, map[string]string{"a": "1"}, dump(t, db))
	_, err = db.Stage(t.Context(), batch("b", "2"))
	require.NoError(t, err, "nor does a writer")
	require.Equal(t, map[string]string{"a": "1", "b": "2"}, dump(t, db))
	select {
	case <-waited:
		t.Fatal("durable before the sync ended")
	default:
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, durable(ctx), context.Canceled)

	disk.set(func(d *testDisk) { d.gate, d.started = nil, nil })
	close(gate)
	require.NoError(t, <-waited)
}

func TestMemoryIsDurableAtOnce(t *testing.T) {
	db := openPath(t, Memory)
	durable, err := db.Stage(t.Context(), batch("a", "1"))
	require.NoError(t, err)
	require.NoError(t, durable(t.Context()))
	require.NoError(t, db.Shrink(t.Context()))
	require.Zero(t, db.Size())
	require.NoError(t, db.Healthy())
	require.Nil(t, db.Failed())
}

func TestFailingDisk(t *testing.T) {
	broken := errors.New("input/output error")
	for name, c := range map[string]struct {
		fail          func(*testDisk)
		stage, commit error // errors of the batch that encounters the failure
		visible       string
	}{
		"write": {func(d *testDisk) { d.writeErr = broken }, broken, nil, "1"},
		"sync":  {func(d *testDisk) { d.syncErr = broken }, nil, broken, "2"},
		"mark":  {func(d *testDisk) { d.markErr = broken }, nil, broken, "2"},
	} {
		t.Run(name, func(t *testing.T) {
			db, disk, path := openDisk(t)
			require.NoError(t, store.Apply(t.Context(), db, batch("a", "1")))
			require.NoError(t, db.Healthy())
			select {
			case <-db.Failed():
				t.Fatal("it has failed before the disk did")
			default:
			}
			disk.set(c.fail)

			durable, err := db.Stage(t.Context(), batch("a", "2"))
			require.ErrorIs(t, err, c.stage)
			if err == nil {
				err = durable(t.Context())
			}
			require.ErrorIs(t, err, store.ErrFailed)
			require.ErrorIs(t, err, broken)
			<-db.Failed()
			require.ErrorIs(t, db.Healthy(), broken)

			disk.set(func(d *testDisk) { d.writeErr, d.markErr, d.syncErr = nil, nil, nil })
			_, err = db.Stage(t.Context(), batch("b", "1"))
			require.ErrorIs(t, err, store.ErrFailed, "a disk that works again is not trusted")
			require.ErrorIs(t, db.Shrink(t.Context()), store.ErrFailed)
			require.Equal(t, map[string]string{"a": c.visible}, dump(t, db))

			require.ErrorIs(t, db.Close(), broken)
			db = openPath(t, path)
			require.NoError(t, store.Apply(t.Context(), db, batch("a", "3")))
			left, err := filepath.Glob(path + ".*")
			require.NoError(t, err)
			require.Empty(t, left)
		})
	}
}

func TestWriteFailureLeavesEarlierBatchesDurable(t *testing.T) {
	db, disk, _ := openDisk(t)
	durable, err := db.Stage(t.Context(), batch("a", "1"))
	require.NoError(t, err)
	disk.set(func(d *testDisk) { d.writeErr = errors.New("disk full") })
	_, err = db.Stage(t.Context(), batch("b", "1"))
	require.ErrorIs(t, err, store.ErrFailed)
	require.NoError(t, durable(t.Context()))
	require.Equal(t, db.Size(), disk.durable.Load())
}

// TestTransactions checks that on a medium that only keeps synced data, a process killed after
// an acknowledgment leaves a file in which the last batch is known to be acknowledged.
func TestTransactions(t *testing.T) {
	d := newSimDisk()
	db, err := openOn("db", d, Transactions)
	require.NoError(t, err)
	for i := range 4 {
		begin := db.Size()
		require.NoError(t, store.Apply(t.Context(), db, batch("a", fmt.Sprint(i), "b", "2")))
		if i == 2 {
			require.NoError(t, db.Shrink(t.Context()))
			begin = headSize
		}
		synced := d.names["db"].synced
		state, _, err := look(t, synced)
		require.NoError(t, err)
		require.Equal(t, map[string]string{"a": fmt.Sprint(i), "b": "2"}, state)
		for at := begin; at < int64(len(synced)); at++ {
			spoilt := bytes.Clone(synced)
			spoilt[at] ^= 1
			_, _, err := look(t, spoilt)
			require.ErrorIs(t, err, ErrCorrupt, "byte %d of batch %d", at, i)
		}
	}
	require.NoError(t, db.Close())
}

// TestFailedSyncAndANewStart checks that data that is only in the kernel's memory after a
// failed sync is written again by the next start, before anything depends on it.
func TestFailedSyncAndANewStart(t *testing.T) {
	d := newSimDisk()
	db, err := open("db", d)
	require.NoError(t, err)
	require.NoError(t, store.Apply(t.Context(), db, batch("a", "1")))
	d.fail(true)
	require.ErrorIs(t, store.Apply(t.Context(), db, batch("a", "2", "long", strings.Repeat("x", 3*readBuffer))), errDropped)
	require.ErrorIs(t, db.Close(), errDropped)

	d = d.killed()
	db, err = open("db", d)
	require.NoError(t, err)
	want := dump(t, db)
	require.Equal(t, "2", want["a"])
	state, _, err := look(t, d.names["db"].synced)
	require.NoError(t, err)
	require.Equal(t, want, state, "what can be read is on the disk")

	require.NoError(t, store.Apply(t.Context(), db, batch("b", "1")))
	require.NoError(t, db.table.Close())
	want["b"] = "1"
	state, _, err = look(t, d.names["db"].synced)
	require.NoError(t, err)
	require.Equal(t, want, state, "what was acknowledged")
}

// TestMarkOfAFailedSync checks that a mark that was lost in a failed sync is written again by
// the next start, before the other mark is overwritten.
func TestMarkOfAFailedSync(t *testing.T) {
	d := newSimDisk()
	db, err := open("db", d)
	require.NoError(t, err)
	require.NoError(t, store.Apply(t.Context(), db, batch("a", "1")))
	end := db.Size()
	d.fail(true)
	require.ErrorIs(t, db.Close(), errDropped)
	require.Less(t, readHead(d.names["db"].synced[:headSize]).durable, end)

	d = d.killed()
	db, err = open("db", d)
	require.NoError(t, err)
	require.Equal(t, end, readHead(d.names["db"].synced[:headSize]).durable)
	require.NoError(t, db.table.Close())
}
