package bunt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"obverse/core/store"
)

const (
	shrinkPage  = 1024    // entries read at once
	shrinkFrame = 1 << 20 // bytes after which a frame ends
)

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

// Live is about what Size is after Shrink.
func (d *DB) Live(ctx context.Context) (size int64, err error) {
	const around = 32 // bytes of a command that are neither key nor data
	size = headSize
	for after := ""; ; {
		entries, err := d.Scan(ctx, "", after, shrinkPage)
		if err != nil || len(entries) == 0 {
			return size, err
		}
		after = entries[len(entries)-1].Key
		for _, entry := range entries {
			size += int64(len(entry.Key) + len(entry.Data) + around)
		}
	}
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
	path := d.log.path + newSuffix
	f, err := d.log.disk.open(path, os.O_CREATE|os.O_TRUNC)
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
	end, err := d.snapshot(ctx, f)
	if err == nil {
		err = f.Sync() // most of the work, while writers do not yet wait
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if err == nil {
		err = errors.Join(ctx.Err(), d.writable())
	}
	if err == nil {
		end, err = d.log.copyTail(f, mark, end)
	}
	if err == nil {
		err = d.log.disk.rename(path, d.log.path)
	}
	if err != nil {
		return errors.Join(err, f.Close(), d.log.disk.remove(path))
	}
	return d.log.swap(f, end)
}

// snapshot writes every key into a new file and returns where that ends. The file has no
// head yet.
func (d *DB) snapshot(ctx context.Context, f io.WriterAt) (end frames, err error) {
	end = frames{salt: newSalt(), size: headSize}
	var buf []byte
	for after := ""; ; {
		entries, err := d.Scan(ctx, "", after, shrinkPage)
		if err != nil || len(entries) == 0 {
			return end, err
		}
		after = entries[len(entries)-1].Key
		for i, entry := range entries {
			buf = appendOp(buf, &store.Op{Key: entry.Key, Data: entry.Data})
			if len(buf) < shrinkFrame && i < len(entries)-1 {
				continue
			}
			if buf, end, err = end.write(f, buf, headSize); err != nil {
				return end, err
			}
			buf = buf[:0]
		}
	}
}

// copyTail appends the batches of the log from mark on to the new file, whose end it takes
// and returns, gives the file its head and makes it durable.
func (l *log) copyTail(f file, mark int64, end frames) (frames, error) {
	var buf []byte
	for s := scan(l.file, mark, l.size); s.pos < l.size; {
		from := s.pos
		if _, err := s.frame(); err != nil {
			return end, fmt.Errorf("read the file again, at byte %d: %w", from, err)
		}
		buf = append(buf[:0], make([]byte, s.pos-from-int64(sealSize))...)
		if err := readFull(l.file, buf, from); err != nil {
			return end, err
		}
		var err error
		if buf, end, err = end.write(f, buf, headSize); err != nil {
			return end, err
		}
	}
	if _, err := f.WriteAt(end.salt.head(end.size), 0); err != nil {
		return end, err
	}
	return end, f.Sync()
}

// swap goes over to the file that now has the log's name. Until the folder is synced a
// crash may bring the old file back, which lacks what is written from here on; if it
// cannot be, nothing more may be written.
func (l *log) swap(f file, end frames) error {
	l.syncing.Lock()
	defer l.syncing.Unlock()
	_ = l.file.Close() // what it held is in the new file
	l.file, l.frames, l.marks = f, end, marks{end.salt, 1}
	l.reach(end.size, end.size)
	if err := l.disk.syncFolder(l.path); err != nil {
		return l.failUnsynced(err)
	}
	l.markSynced()
	return nil
}

// Compaction says when a file is shrunk: when it has grown by Growth percent and by Step
// beyond what it is without that was overwritten, looked at every Interval. After one that
// failed the next look is twice as far away as the last one was, up to MaxRetry.
type Compaction struct {
	Interval, MaxRetry time.Duration
	Growth             int64 // 0: 100, it has doubled
	Step               int64 // bytes
	// Sleep waits, or fails with ctx's error when that ends.
	Sleep func(ctx context.Context, d time.Duration) error
	// Shrunk is called when the file was compacted, and Failed when that failed, with the time of
	// the next attempt. The store works on either way; see DB.Healthy.
	Shrunk func(before, after int64)
	Failed func(err error, retry time.Duration)
}

// shrinkable is the part of a DB that Compaction uses.
type shrinkable interface {
	Size() int64
	Live(ctx context.Context) (int64, error)
	Shrink(ctx context.Context) error
}

// Run shrinks the file of db from time to time until ctx ends.
func (c Compaction) Run(ctx context.Context, db shrinkable) {
	wait := c.Interval
	for last := int64(0); c.Sleep(ctx, wait) == nil; {
		if last == 0 { // the file may be of another run
			var err error
			if last, err = db.Live(ctx); err != nil {
				return // it is closed, or ctx has ended
			}
		}
		before := db.Size()
		if before < last+last*cmp.Or(c.Growth, 100)/100+c.Step {
			continue
		}
		err := db.Shrink(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			wait = min(2*wait, c.MaxRetry)
			c.Failed(err, wait)
		default:
			last, wait = db.Size(), c.Interval
			c.Shrunk(before, last)
		}
	}
}
