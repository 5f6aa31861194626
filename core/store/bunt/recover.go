package bunt

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// ErrNewer reports that a newer version of the program wrote the file.
var ErrNewer = errors.New("the store file was written by a newer version")

// Cut describes the bytes that Open removed from the end of a file because they contained no
// acknowledged batch. For a file of format 1 that is uncertain, since a damaged length looks
// like an unfinished batch. The zero Cut means that nothing was removed.
type Cut struct {
	At, Bytes int64
	// SavedAs is the file with a copy of the removed bytes: the first maxSaved of them or, for
	// a file of format 1, all. It is "" if they were all zero, or if they could not be saved
	// for the reason in Why.
	SavedAs string
	Why     error
}

// Limits on the saved copies of removed bytes. The copies are for the operator; without limits,
// repeated crashes could fill the disk.
const (
	maxCuts  = 8
	maxSaved = 1 << 20
)

// opened is the result of opening a file.
type opened struct {
	frames
	slot    int // slot of the newest mark
	durable int64
	cut     Cut
	plain   bool // whether the file has format 1
}

// create creates an empty file at path. The file gets its name once its head is durable, so a
// file that is empty or ends inside its head has lost its contents.
func create(d disk, path string) (file, opened, error) {
	o := opened{frames: frames{salt: newSalt(), size: headSize}, slot: 1, durable: headSize}
	f, err := d.open(path+newSuffix, os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return nil, o, err
	}
	_, err = f.WriteAt(o.salt.head(headSize), 0)
	if err == nil {
		err = f.Sync()
	}
	if err == nil {
		err = d.rename(path+newSuffix, path)
	}
	if err != nil {
		return nil, o, errors.Join(err, f.Close(), d.remove(path+newSuffix))
	}
	if err := d.syncFolder(path); err != nil {
		return nil, o, errors.Join(err, f.Close())
	}
	return f, o, nil
}

// read fills the table from the complete batches in a file and removes the bytes after them.
func read(d disk, path string, f file, table *table) (o opened, err error) {
	info, err := f.Stat()
	if err != nil {
		return o, err
	}
	size := info.Size()
	head := make([]byte, min(size, headSize))
	if err := readFull(f, head, 0); err != nil {
		return o, err
	}
	h := readHead(head)
	switch {
	case h.format > sealedFormat:
		return o, fmt.Errorf("%w: format %d, this program knows up to %d", ErrNewer, h.format, sealedFormat)
	case h.format == sealedFormat && !h.whole:
		return o, fmt.Errorf("at byte 0: the head of the file is damaged: %w", ErrCorrupt)
	case h.format == sealedFormat:
		o, err = readSealed(f, size, h, table)
	default:
		o, err = readPlain(f, size, table)
	}
	if err != nil {
		return o, err
	}
	if o.cut.Bytes = size - o.size; o.cut.Bytes > 0 {
		o.cut.At = o.size
		if o.plain {
			o.cut.SavedAs, err = keep(d, path, f, o.cut, o.cut.Bytes)
		} else {
			// A failure must not prevent the node from starting, since these bytes were not
			// acknowledged.
			o.cut.SavedAs, o.cut.Why = keep(d, path, f, o.cut, maxSaved)
		}
		if err != nil {
			return o, fmt.Errorf("keep the %d bytes behind the last whole change: %w", o.cut.Bytes, err)
		}
		err = f.Truncate(o.size)
	}
	return o, err
}

// renew rewrites data that may be only in the kernel's memory. After a failed sync, the kernel
// regards it as written, so later syncs would not write it (PostgreSQL, "fsyncgate"). This
// concerns the newest mark, and everything after the known synced part. The same bytes are
// written, so a power cut in the meantime cannot destroy data on the disk.
func renew(f file, o *opened) error {
	if o.plain { // the file will be replaced
		return nil
	}
	if err := rewrite(f, int64(o.slot)*markPage, int64(o.slot+1)*markPage); err != nil {
		return err
	}
	return rewrite(f, o.durable, o.size)
}

func rewrite(f file, from, to int64) error {
	_, err := io.CopyBuffer(io.NewOffsetWriter(f, from), io.NewSectionReader(f, from, to-from), make([]byte, min(readBuffer, to-from+1)))
	return err
}

// readSealed fills the table from the batches in a file of format 2. It also checks whether the
// bytes after them contain acknowledged batches.
func readSealed(f file, size int64, h found, table *table) (o opened, err error) {
	end, durable, err := loadFrames(f, size, h.salt, table)
	if err != nil {
		return o, err
	}
	v, err := surveyRest(f, size, survey{frames: end, durable: max(h.durable, durable)}, nil)
	if err != nil {
		return o, err
	}
	for _, damage := range v.damages {
		if damage.Acknowledged {
			return o, fmt.Errorf("at byte %d: %w", damage.From, damage.reason(size))
		}
	}
	if v.size != end.size {
		return o, fmt.Errorf("at byte %d: the file reads differently each time: %w", end.size, ErrCorrupt)
	}
	return opened{frames: end, slot: h.slot, durable: v.durable}, nil
}

// reason returns the error for damage that makes Open refuse a file.
func (d Damage) reason(size int64) error {
	if d.From == d.To {
		return fmt.Errorf("the file holds no change at all: %w", ErrCorrupt)
	}
	if d.From == size {
		return fmt.Errorf("the file ends, but acknowledged changes went on up to byte %d: %w", d.To, ErrCorrupt)
	}
	return fmt.Errorf("acknowledged changes are damaged: %w", ErrCorrupt)
}

// readPlain fills the table from the batches in a file of format 1. A file without batches has
// either never been written to, or has lost all of them.
func readPlain(f file, size int64, table *table) (o opened, err error) {
	written, err := withoutZeroes(f, size)
	if err != nil {
		return o, err
	}
	if o.size, err = unsealed(f, written); err != nil {
		return o, err
	}
	if o.size == 0 {
		return o, fmt.Errorf("at byte 0: the file holds no whole change (remove it to begin with an empty store): %w", ErrCorrupt)
	}
	o.plain = true
	return o, load(f, 0, o.size, table)
}

// withoutZeroes returns the size of the file without the NUL bytes at its end. After a crash,
// such bytes remain if the file system had grown the file before writing the data. They are
// never part of a complete command, which ends with LF.
func withoutZeroes(f io.ReaderAt, size int64) (int64, error) {
	buf := make([]byte, 4096)
	for size > 0 {
		part := buf[:min(size, int64(len(buf)))]
		if err := readFull(f, part, size-int64(len(part))); err != nil {
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

// keep copies the bytes that are about to be removed, at most limit of them, into a file next
// to the store's.
func keep(d disk, path string, f file, c Cut, limit int64) (saved string, why error) {
	end, err := withoutZeroes(f, c.At+c.Bytes)
	if err != nil || end <= c.At {
		return "", err
	}
	saved, err = freeName(d, path)
	if err != nil {
		return "", err
	}
	to, err := d.open(saved, os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return "", err
	}
	size := min(end-c.At, limit)
	n, err := io.Copy(io.NewOffsetWriter(to, 0), io.NewSectionReader(f, c.At, size))
	if err == nil && n < size {
		err = io.ErrUnexpectedEOF
	}
	if err == nil {
		err = to.Sync()
	}
	if err == nil {
		err = d.syncFolder(saved) // the name must be durable too before anything is removed
	}
	if err = errors.Join(err, to.Close()); err != nil {
		return "", errors.Join(err, d.remove(saved))
	}
	return saved, nil
}

var errCutsFull = fmt.Errorf("%d such files are there already; remove them", maxCuts)

// freeName returns the first unused name for a file with removed bytes.
func freeName(d disk, path string) (string, error) {
	for n := 1; n <= maxCuts; n++ {
		name := fmt.Sprintf("%s.cut-%d", path, n)
		there, err := d.open(name, 0)
		if errors.Is(err, fs.ErrNotExist) {
			return name, nil
		}
		if err != nil {
			return "", err
		}
		if err := there.Close(); err != nil {
			return "", err
		}
	}
	return "", errCutsFull
}
