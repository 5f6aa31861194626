package bunt

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"obverse/core/store"
)

const shrinkPage = 1024 // entries read at once

// Size is the number of bytes of the file, 0 in memory. It grows with every batch; only
// Shrink makes it smaller.
func (d *DB) Size() int64 {
	if d.log == nil {
		return 0
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.log.size
}

// Shrink replaces the file by one that holds every key once. Readers and writers go on
// meanwhile; only at its end do writers wait, while the batches of the meantime are
// copied and synced. So it is best called when little is written. When ctx ends, or
// when the disk refuses the new file, the old one stays in use and the error is returned.
func (d *DB) Shrink(ctx context.Context) error {
	if d.log == nil {
		return nil
	}
	d.shrinking.Lock()
	defer d.shrinking.Unlock()
	path := d.log.path + ".shrink"
	f, err := d.log.open(path, os.O_TRUNC)
	if err != nil {
		return fmt.Errorf("shrink store: %w", err)
	}
	if err := d.replaceBy(ctx, f, path); err != nil {
		return fmt.Errorf("shrink store: %w", err)
	}
	return nil
}

// replaceBy fills the new file and puts it in the place of the old one.
//
// The table is read page by page while batches go on, so the pages alone are of no one
// moment. But whatever changed since mark is in the log after mark, and its commands
// are absolute: after them the new file is the table as it is.
func (d *DB) replaceBy(ctx context.Context, f file, path string) error {
	mark := d.Size()
	size, err := d.snapshot(ctx, f)
	if err == nil {
		err = f.Sync() // most of the work, while writers do not yet wait
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if err == nil {
		err = errors.Join(ctx.Err(), d.writable())
	}
	if err == nil {
		size, err = d.log.copyTail(f, mark, size)
	}
	if err == nil {
		err = os.Rename(path, d.log.path)
	}
	if err != nil {
		return errors.Join(err, f.Close(), os.Remove(path))
	}
	return d.log.swap(f, size)
}

// snapshot writes every key, as a batch of its own, and returns the size of the file.
func (d *DB) snapshot(ctx context.Context, f io.WriterAt) (size int64, err error) {
	var buf []byte
	after := ""
	for {
		entries, err := d.Scan(ctx, "", after, shrinkPage)
		if err != nil || len(entries) == 0 {
			return size, err
		}
		after = entries[len(entries)-1].Key
		buf = buf[:0]
		for _, entry := range entries {
			buf = appendOp(buf, &store.Op{Key: entry.Key, Data: entry.Data}, true)
		}
		if _, err := f.WriteAt(buf, size); err != nil {
			return size, err
		}
		size += int64(len(buf))
	}
}

// copyTail appends the log from mark on to the new file, whose size it takes and
// returns, and makes it durable.
func (l *log) copyTail(f file, mark, size int64) (int64, error) {
	tail := io.NewSectionReader(l.file, mark, l.size-mark)
	n, err := io.Copy(io.NewOffsetWriter(f, size), tail)
	if err != nil {
		return 0, err
	}
	return size + n, f.Sync()
}

// swap goes over to the file that now has the log's name. Until the folder is synced a
// crash may bring the old file back, which lacks what is written from here on; if it
// cannot be, nothing more may be written.
func (l *log) swap(f file, size int64) error {
	l.syncing.Lock()
	defer l.syncing.Unlock()
	_ = l.file.Close() // what it held is in the new file
	l.file, l.size = f, size
	if err := syncFolder(l.path); err != nil {
		return l.lose(err)
	}
	l.settle()
	return nil
}
