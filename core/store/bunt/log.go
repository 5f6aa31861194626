package bunt

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/tidwall/buntdb"

	"obverse/core/store"
)

const (
	readBuffer  = 1 << 16
	writeBuffer = 1 << 20 // a larger one is not kept for the next batch
	private     = 0o600   // the store holds identity keys
)

// file is what the log asks of a file. It is an interface so that tests can count,
// block and break what the disk does.
type file interface {
	io.ReaderAt
	io.WriterAt
	Sync() error
	Truncate(size int64) error
	Stat() (fs.FileInfo, error)
	Close() error
}

// opener opens a file for reading and writing, creating it.
type opener func(path string, flag int) (file, error)

func openOS(path string, flag int) (file, error) {
	return os.OpenFile(path, flag|os.O_RDWR|os.O_CREATE, private)
}

// log is the file of a DB: batches are appended, and synced by whoever waits for one.
// The methods without a lock of their own are called under DB.mu.
type log struct {
	path string
	open opener
	group
	size int64
	cut  int64 // bytes that were taken off the end when the file was opened
	buf  []byte

	syncing sync.Mutex // held during a sync, and to replace the file, along with DB.mu
	file    file
}

// openLog opens the file, fills the table from its whole batches and cuts off a batch
// that a crash left unfinished.
func openLog(path string, open opener, table *buntdb.DB) (*log, error) {
	f, err := open(path, 0)
	if err != nil {
		return nil, err
	}
	size, cut, err := recoverFile(f, table)
	if err == nil && size == 0 {
		err = syncFolder(path)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), f.Close())
	}
	l := &log{path: path, open: open, size: size, cut: cut, file: f}
	l.group.sync, l.group.failed = l.syncFile, make(chan struct{})
	return l, nil
}

// recoverFile returns the size of the file after cutting it to its whole batches, and
// how much it cut. It syncs: what a killed process had written is read now, so it must
// not vanish later.
func recoverFile(f file, table *buntdb.DB) (size, cut int64, err error) {
	info, err := f.Stat()
	if err != nil {
		return 0, 0, err
	}
	written, err := withoutZeroes(f, info.Size())
	if err != nil {
		return 0, 0, err
	}
	if size, err = wholeBatches(io.NewSectionReader(f, 0, written)); err != nil {
		return 0, 0, err
	}
	// buntdb would refill its own buffer 4 kB at a time; it takes one that is larger.
	whole := bufio.NewReaderSize(io.NewSectionReader(f, 0, size), readBuffer)
	if err := table.Load(whole); err != nil {
		return 0, 0, err
	}
	if cut = info.Size() - size; cut > 0 {
		if err := f.Truncate(size); err != nil {
			return 0, 0, err
		}
	}
	return size, cut, f.Sync()
}

// withoutZeroes returns the size of the file less the NUL bytes at its end. A file
// system that grows a file before it writes the data leaves them after a crash; a whole
// command ends in LF, so they are never part of one.
func withoutZeroes(f io.ReaderAt, size int64) (int64, error) {
	buf := make([]byte, 4096)
	for size > 0 {
		part := buf[:min(size, int64(len(buf)))]
		if _, err := f.ReadAt(part, size-int64(len(part))); err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
		for i := len(part) - 1; i >= 0; i-- {
			if part[i] != 0 {
				return size - int64(len(part)-1-i), nil
			}
		}
		size -= int64(len(part))
	}
	return 0, nil
}

// append writes a batch, in one write, and returns its ticket. After an error the end of
// the file is unknown, so nothing may follow.
func (l *log) append(ops []store.Op) (uint64, error) {
	l.buf = appendBatch(l.buf[:0], ops)
	if _, err := l.file.WriteAt(l.buf, l.size); err != nil {
		return 0, l.refuse(err)
	}
	l.size += int64(len(l.buf))
	if cap(l.buf) > writeBuffer {
		l.buf = nil
	}
	return l.ticket(), nil
}

func (l *log) syncFile() error {
	l.syncing.Lock()
	defer l.syncing.Unlock()
	return l.file.Sync()
}

// close syncs what was written and closes the file.
func (l *log) close() error {
	_ = l.wait(context.Background(), l.last()) // it fails only with what failure returns
	l.syncing.Lock()
	defer l.syncing.Unlock()
	return errors.Join(l.failure(), l.file.Close())
}

// syncFolder makes the creation or the renaming of path durable, where the platform has
// a notion of that.
func syncFolder(path string) error {
	folder, err := os.Open(filepath.Dir(path))
	if err == nil {
		err = errors.Join(folder.Sync(), folder.Close())
	}
	if errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	return err
}
