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
	shrinkPage  = 1024    // number of entries read at once
	shrinkFrame = 1 << 20 // maximum size of a frame in bytes
)

// Size returns the size of the file in bytes, or 0 for an in-memory store. It grows with every
// batch, and only Shrink reduces it.
func (d *DB) Size() int64 {
	if d.log == nil {
		return 0
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.log.size
}

// Live returns the approximate size after a Shrink.
func (d *DB) Live(ctx context.Context) (size int64, err error) {
	const around = 32 // bytes of a command in addition to key and data
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

// Shrink replaces the file by one that contains every key once. Readers and writers continue
// during most of the operation; only at its end do writers wait while the batches staged in the
// meantime are copied and synced. Shrink is therefore best called when there are few writes. If
// ctx ends, or the disk refuses the new file, the old file stays in use and Shrink returns the
// error.
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

// replaceBy fills the new file and replaces the old one by it.
//
// The table is read page by page while batches are staged, so the pages belong to different
// states. But all changes since mark are in the log after mark, and its commands are absolute:
// after they are appended, the new file represents the current table.
func (d *DB) replaceBy(ctx context.Context, f file, path string) error {
	mark := d.Size()
	end, err := d.snapshot(ctx, f)
	if err == nil {
		err = f.Sync() // does most of the work while writers are not blocked
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

// snapshot writes every key into a new file and returns its end. The head is not written yet.
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

// copyTail appends the batches in the log after mark to the new file, starting at end, writes
// the head and makes the file durable. It returns the new end.
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

// swap switches to the file that now has the log's name. Until the folder is synced, a crash
// may restore the old file, which lacks later batches. If the folder cannot be synced, no more
// writes are accepted.
func (l *log) swap(f file, end frames) error {
	l.syncing.Lock()
	defer l.syncing.Unlock()
	_ = l.file.Close() // its content is in the new file
	l.file, l.frames, l.marks = f, end, marks{end.salt, 1}
	l.reach(end.size, end.size)
	if err := l.disk.syncFolder(l.path); err != nil {
		return l.failUnsynced(err)
	}
	l.markSynced()
	return nil
}

// Compaction determines when a file is shrunk: when it has grown by Growth percent and by Step
// beyond its size without overwritten rows. The size is checked at every Interval. After a
// failure, the interval doubles, up to MaxRetry.
type Compaction struct {
	Interval, MaxRetry time.Duration
	Growth             int64 // 0 means 100, which doubles the size
	Step               int64 // in bytes
	// Sleep waits, or returns ctx's error when ctx ends.
	Sleep func(ctx context.Context, d time.Duration) error
	// Shrunk is called after the file was compacted, and Failed after a failure, with the time
	// until the next attempt. The store remains usable in both cases; see DB.Healthy.
	Shrunk func(before, after int64)
	Failed func(err error, retry time.Duration)
}

// shrinkable is the part of a DB that Compaction uses.
type shrinkable interface {
	Size() int64
	Live(ctx context.Context) (int64, error)
	Shrink(ctx context.Context) error
}

// Run shrinks the file of db when necessary, until ctx ends.
func (c Compaction) Run(ctx context.Context, db shrinkable) {
	wait := c.Interval
	for last := int64(0); c.Sleep(ctx, wait) == nil; {
		if last == 0 { // the file may have been written by another process
			var err error
			if last, err = db.Live(ctx); err != nil {
				return // the store is closed, or ctx has ended
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
