package bunt

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"sync/atomic"

	"obverse/core/store"
)

const (
	readBuffer  = 1 << 18
	writeBuffer = 1 << 20 // a larger buffer is not retained for the next batch
	newSuffix   = ".new"  // suffix of a replacement file
)

// log is the file of a DB. Batches are appended, and callers that wait for one sync the file.
// Methods without their own lock must be called with DB.mu held.
type log struct {
	path   string
	disk   disk
	medium Medium
	group
	frames
	written atomic.Int64 // size, for goroutines that do not hold DB.mu
	durable atomic.Int64 // offset up to which the file is synced
	buf     []byte

	syncing sync.Mutex // held during a sync and, together with DB.mu, while the file is replaced
	file    file
	marks   marks
}

// marks is the position of a file's marks.
type marks struct {
	salt salt
	slot int // slot of the newest mark
}

// openLog opens or creates the file and fills the table from its complete batches. A file of
// format 1 must be replaced before batches can be appended.
//
// openLog syncs the file, since a killed process may have written batches without a successful
// sync, and data that has been read must not disappear.
func openLog(path string, d disk, table *table) (_ *log, found Findings, err error) {
	_ = d.remove(path + newSuffix) // may remain after a crash
	f, err := d.open(path, 0)
	var o opened
	switch {
	case errors.Is(err, fs.ErrNotExist):
		found.Created = true
		f, o, err = create(d, path)
	case err == nil:
		if o, err = read(d, path, f, table); err == nil {
			err = renew(f, &o)
		}
		if err == nil {
			err = errors.Join(f.Sync(), d.syncFolder(path)) // the file may have been renamed just before the process was killed
		}
		if err != nil {
			err = errors.Join(fmt.Errorf("%s: %w", path, err), f.Close())
		}
	}
	if err != nil {
		return nil, found, err
	}
	found.Cut, found.Upgraded = o.cut, o.plain
	l := &log{path: path, disk: d, frames: o.frames, file: f, marks: marks{o.salt, o.slot}}
	l.group.sync, l.group.failed = l.syncFile, make(chan struct{})
	if !o.plain {
		l.reach(o.size, o.size)
		if o.size > o.durable {
			err = l.mark(o.size)
		}
	}
	if err != nil {
		return nil, found, errors.Join(fmt.Errorf("%s: %w", path, err), f.Close())
	}
	return l, found, nil
}

// reach records the sizes of the written and of the synced part of the file.
func (l *log) reach(written, durable int64) {
	l.written.Store(written)
	l.durable.Store(durable)
}

// append writes a batch in a single write and returns its ticket. After an error, the end of
// the file is unknown, so nothing may be appended.
func (l *log) append(ops []store.Op) (uint64, error) {
	buf, end, err := l.frames.write(l.file, appendOps(l.buf[:0], ops), l.durable.Load())
	if err != nil {
		return 0, err
	}
	l.frames, l.buf = end, buf
	l.written.Store(end.size)
	if cap(l.buf) > writeBuffer {
		l.buf = nil
	}
	return l.ticket(), nil
}

// syncFile syncs the file and writes a mark with the synced size. A batch is only acknowledged
// after the mark is written, so that later damage to an acknowledged batch can be detected.
// Where a sync is a transaction, a mark written afterwards would be lost with a killed process;
// written before, it becomes durable together with the batches.
func (l *log) syncFile() error {
	l.syncing.Lock()
	defer l.syncing.Unlock()
	size := l.written.Load()
	if l.medium == Transactions {
		if err := l.mark(size); err != nil {
			return err
		}
		return l.file.Sync()
	}
	if err := l.file.Sync(); err != nil {
		return err
	}
	return l.mark(size)
}

// mark overwrites the older mark with the offset up to which the file is durable. The caller
// must hold syncing.
func (l *log) mark(durable int64) error {
	slot := 3 - l.marks.slot
	if _, err := l.file.WriteAt(l.marks.salt.markTwice(durable), int64(slot)*markPage); err != nil {
		return err
	}
	l.marks.slot = slot
	l.durable.Store(durable)
	return nil
}

// close syncs all writes, including the last mark, and closes the file.
func (l *log) close() error {
	_ = l.wait(context.Background(), l.last()) // its only error is that of failure
	l.syncing.Lock()
	defer l.syncing.Unlock()
	err := l.failure()
	if err == nil {
		err = l.file.Sync()
	}
	return errors.Join(err, l.file.Close())
}
