package bunt

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// Report says what a store's file holds. It is found without changing the file, which a
// running node may go on writing to.
type Report struct {
	Format  int   // 1: without checksums; 2
	Size    int64 // bytes
	End     int64 // where the whole batches before the first damage end
	Durable int64 // up to where changes were acknowledged, or may have been; in format 1 this is not known
	Batches int   // whole ones; in format 1 this is not counted
	Keys    int   // that the batches before the first damage leave
	Damages []Damage
	More    int // damages that are not in the list
}

// Err is nil if Open would open the file without loss, and wraps ErrCorrupt with the place
// if it would refuse it.
func (r *Report) Err() error {
	for _, d := range r.Damages {
		if d.Acknowledged {
			return fmt.Errorf("at byte %d: %w", d.From, d.reason(r.Size))
		}
	}
	return nil
}

// Check reads a file up to the size that it has once its head is read, since a running node may
// append to it. progress, which may be nil, is called from time to time with the number of
// bytes read. The error is a read error, or means that the file is not a store's; damage is
// part of the report.
func Check(f io.ReaderAt, size func() (int64, error), progress func(done int64)) (r Report, err error) {
	head := make([]byte, headSize)
	n, err := f.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return r, err
	}
	if r.Size, err = size(); err != nil {
		return r, err
	}
	head = head[:min(int64(n), r.Size)]
	h := readHead(head)
	r.Format = h.format
	switch {
	case h.format > sealedFormat:
		return r, fmt.Errorf("%w: format %d, this program knows up to %d", ErrNewer, h.format, sealedFormat)
	case h.format == sealedFormat && !h.whole:
		r.Damages = []Damage{{0, int64(len(head)), true}}
		return r, nil
	case h.format == sealedFormat:
		err = r.sealed(f, h, progress)
	default:
		err = r.plain(f)
	}
	if err != nil || r.End == 0 {
		return r, err
	}
	first := int64(headSize)
	if r.Format == plainFormat {
		first = 0
	}
	r.Keys, err = keysOf(f, first, r.End)
	return r, err
}

func (r *Report) sealed(f io.ReaderAt, h found, progress func(int64)) error {
	v, err := surveyFile(f, r.Size, h, progress)
	r.End, r.Durable, r.Batches, r.Damages, r.More = v.size, v.durable, v.batches, v.damages, v.unlisted
	return err
}

func (r *Report) plain(f io.ReaderAt) error {
	r.Format = plainFormat
	written, err := withoutZeroes(f, r.Size)
	if err != nil {
		return err
	}
	r.End, err = unsealed(f, written)
	if r.End < r.Size || r.End == 0 {
		r.Damages = []Damage{{r.End, r.Size, errors.Is(err, ErrCorrupt) || r.End == 0}}
	}
	if errors.Is(err, ErrCorrupt) {
		return nil
	}
	return err
}

func keysOf(f io.ReaderAt, first, end int64) (n int, err error) {
	table, err := newTable()
	if err != nil {
		return 0, err
	}
	defer table.Close()
	if err := load(f, first, end, table); err != nil {
		return 0, err
	}
	return table.len()
}

// Finish makes a copy of a file that Check has reported on a file of its own, which ends
// where the whole batches end: that all of them are there is noted in it.
func Finish(f interface {
	io.ReaderAt
	io.WriterAt
	Truncate(size int64) error
}, r Report) error {
	if err := f.Truncate(r.End); err != nil || r.Format != sealedFormat {
		return err
	}
	head := make([]byte, headSize)
	if err := readFull(f, head, 0); err != nil {
		return err
	}
	_, err := f.WriteAt(readHead(head).salt.head(r.End), 0)
	return err
}

// Export returns the store as a file of its own, with every batch that was staged so far.
func (d *DB) Export() ([]byte, error) {
	if d.log == nil {
		return nil, errors.ErrUnsupported
	}
	d.shrinking.Lock() // so that the file stays the same
	defer d.shrinking.Unlock()
	d.mu.Lock()
	f, end := d.log.file, d.log.frames
	d.mu.Unlock()
	data := make([]byte, end.size)
	if err := readFull(f, data, 0); err != nil {
		return nil, fmt.Errorf("export store: %w", err)
	}
	copy(data, end.salt.head(end.size))
	v, err := surveyFile(bytes.NewReader(data), end.size, readHead(data[:headSize]), nil)
	if err != nil || len(v.damages) > 0 {
		return nil, fmt.Errorf("export store: at byte %d: %w", v.size, errors.Join(err, ErrCorrupt))
	}
	return data, nil
}
