package bunt

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// Report describes the contents of a store's file. Creating it does not change the file, to
// which a running node may continue to write.
type Report struct {
	Format  int   // 1 (without checksums) or 2
	Size    int64 // in bytes
	End     int64 // end of the complete batches before the first damage
	Durable int64 // offset up to which changes were, or may have been, acknowledged; unknown in format 1
	Batches int   // number of complete batches; not counted in format 1
	Keys    int   // number of keys after the batches before the first damage
	Damages []Damage
	More    int // number of further damages that are not listed
}

// Err returns nil if Open would open the file without loss. If Open would refuse the file, Err
// returns an error that wraps ErrCorrupt and contains the offset.
func (r *Report) Err() error {
	for _, d := range r.Damages {
		if d.Acknowledged {
			return fmt.Errorf("at byte %d: %w", d.From, d.reason(r.Size))
		}
	}
	return nil
}

// Check reads a file, up to the size that it has after its head was read, since a running node
// may append to it. The function progress, which may be nil, is called periodically with the
// number of bytes read. The error is a read error, or reports that the file is not a store's.
// Damage is part of the report.
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

// Finish turns a copy of a file that Check has reported on into an independent file. It
// truncates the copy after the complete batches, and records that all of them are present.
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

// Export returns a copy of the store's file with all batches staged so far.
func (d *DB) Export() ([]byte, error) {
	if d.log == nil {
		return nil, errors.ErrUnsupported
	}
	d.shrinking.Lock() // prevents the file from being replaced
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
