package bunt

import (
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/store"
)

// testDisk opens files that count operations and can be made to block and fail. It also counts
// writes and syncs of the head, which only marks cause.
type testDisk struct {
	osDisk
	syncs    atomic.Int64
	durable  atomic.Int64 // number of bytes covered by the last completed sync
	mu       sync.Mutex
	writeErr error
	markErr  error // error of writes into the head
	short    int   // number of bytes that a failing write still writes
	syncErr  error
	newErr   error         // error of creating a replacement file
	gate     chan struct{} // if set, a sync receives from it before it ends
	started  chan struct{} // if set, a sync sends on it when it begins
}

type diskFile struct {
	file
	*testDisk
}

func open(path string, d disk) (*DB, error) { return openOn(path, d, Files) }

func (d *testDisk) open(path string, flag int) (file, error) {
	d.mu.Lock()
	err := d.newErr
	d.mu.Unlock()
	if err != nil && strings.HasSuffix(path, newSuffix) {
		return nil, err
	}
	f, err := d.osDisk.open(path, flag)
	if err != nil {
		return nil, err
	}
	return diskFile{f, d}, nil
}

// set changes how the disk behaves.
func (d *testDisk) set(change func(*testDisk)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	change(d)
}

func (f diskFile) WriteAt(p []byte, off int64) (int, error) {
	f.mu.Lock()
	short, err := f.short, f.writeErr
	if off < headSize {
		err = f.markErr
	}
	f.mu.Unlock()
	if err == nil {
		return f.file.WriteAt(p, off)
	}
	n, _ := f.file.WriteAt(p[:min(short, len(p))], off)
	return n, err
}

func (f diskFile) Sync() error {
	f.mu.Lock()
	gate, started, err := f.gate, f.started, f.syncErr
	f.mu.Unlock()
	info, statErr := f.Stat()
	if statErr != nil {
		return statErr
	}
	if started != nil {
		started <- struct{}{}
	}
	if gate != nil {
		<-gate
	}
	if err != nil {
		return err
	}
	f.syncs.Add(1)
	f.durable.Store(info.Size())
	return f.file.Sync()
}

// openDisk opens a new store on a separate disk. It is closed at the end of the test.
func openDisk(t testing.TB) (*DB, *testDisk, string) {
	t.Helper()
	d := &testDisk{}
	path := filepath.Join(t.TempDir(), "db")
	db, err := open(path, d)
	require.NoError(t, err)
	t.Cleanup(func() { _ = db.Close() })
	return db, d, path
}

// openPath opens the file at path. It is closed at the end of the test, unless it has been
// closed before.
func openPath(t testing.TB, path string) *DB {
	t.Helper()
	db, err := Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// batch returns a batch with pairs of key and data.
func batch(pairs ...string) (b store.Batch) {
	for i := 0; i < len(pairs); i += 2 {
		b.Put(pairs[i], pairs[i+1])
	}
	return b
}

// dump returns all entries of the store.
func dump(t testing.TB, kv store.KV) map[string]string {
	t.Helper()
	entries, err := kv.Scan(t.Context(), "", "", 1<<30)
	require.NoError(t, err)
	all := make(map[string]string, len(entries))
	for _, entry := range entries {
		all[entry.Key] = entry.Data
	}
	return all
}
