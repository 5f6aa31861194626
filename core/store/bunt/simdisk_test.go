package bunt

import (
	"errors"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"sync"
	"time"
)

// Errors of a simDisk after a power cut, and of a failed sync.
var (
	errPower   = errors.New("no power")
	errDropped = errors.New("input/output error")
)

// simDisk is an in-memory disk that knows which data would survive a power cut: unsynced writes
// may be lost, partially and in any order.
type simDisk struct {
	mu      sync.Mutex
	names   map[string]*simFile
	durable map[string]*simFile         // names that survive a power cut
	renamed []func(map[string]*simFile) // changes of names since then, in order
	left    int                         // number of changes until the power cut; negative without a power cut
	drop    bool                        // whether the next sync fails and drops the data that it should write
}

// simFile is a file as seen by programs, with the data that a power cut may lose.
type simFile struct {
	now      []byte
	synced   []byte
	unsynced []simWrite
}

// simWrite is a write, or a truncation to a size.
type simWrite struct {
	at   int64
	data []byte
	cut  bool
}

func newSimDisk() *simDisk {
	return &simDisk{names: map[string]*simFile{}, durable: map[string]*simFile{}, left: -1}
}

// simDiskOf returns a disk with one durable file.
func simDiskOf(path string, data []byte) *simDisk {
	d := newSimDisk()
	f := &simFile{now: append([]byte(nil), data...), synced: append([]byte(nil), data...)}
	d.names[path], d.durable[path] = f, f
	return d
}

// spend counts a change. It is called before every change with d.mu held.
func (d *simDisk) spend() error {
	if d.left == 0 {
		return errPower
	}
	if d.left > 0 {
		d.left--
	}
	return nil
}

func (d *simDisk) open(path string, flag int) (file, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f := d.names[path]
	if f == nil && flag&os.O_CREATE == 0 {
		return nil, fs.ErrNotExist
	}
	if f == nil {
		if err := d.spend(); err != nil {
			return nil, err
		}
		f = &simFile{}
		d.name(func(names map[string]*simFile) { names[path] = f })
	}
	h := &simHandle{d, f}
	if flag&os.O_TRUNC != 0 && len(f.now) > 0 {
		return h, h.truncate(0)
	}
	return h, nil
}

// fail makes the next sync fail, or not.
func (d *simDisk) fail(shall bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.drop = shall
}

// name changes names. It is called with d.mu held.
func (d *simDisk) name(change func(map[string]*simFile)) {
	change(d.names)
	d.renamed = append(d.renamed, change)
}

func (d *simDisk) rename(from, to string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.spend(); err != nil {
		return err
	}
	d.name(func(names map[string]*simFile) {
		if f := names[from]; f != nil {
			names[to] = f
			delete(names, from)
		}
	})
	return nil
}

func (d *simDisk) remove(path string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.names[path] == nil {
		return fs.ErrNotExist
	}
	if err := d.spend(); err != nil {
		return err
	}
	d.name(func(names map[string]*simFile) { delete(names, path) })
	return nil
}

func (d *simDisk) syncFolder(string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.spend(); err != nil {
		return err
	}
	d.durable, d.renamed = maps.Clone(d.names), nil
	return nil
}

// content returns the content of a file as seen by programs.
func (d *simDisk) content(path string) []byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]byte(nil), d.names[path].now...)
}

// killed returns the disk after the process was killed: the kernel retains all writes.
func (d *simDisk) killed() *simDisk {
	d.mu.Lock()
	defer d.mu.Unlock()
	return &simDisk{names: d.names, durable: d.durable, renamed: d.renamed, left: -1}
}

// afterPowerCut returns the disk in a possible state after a power cut.
func (d *simDisk) afterPowerCut(random *rand.Rand) *simDisk {
	d.mu.Lock()
	defer d.mu.Unlock()
	names := maps.Clone(d.durable)
	for _, change := range d.renamed[:random.IntN(len(d.renamed)+1)] {
		change(names)
	}
	out := newSimDisk()
	for path, f := range names {
		data := f.afterPowerCut(random)
		left := &simFile{now: data, synced: append([]byte(nil), data...)}
		out.names[path], out.durable[path] = left, left
	}
	return out
}

const sector = 512

// afterPowerCut applies each unsynced write fully, not at all, or partially: up to a byte, by
// sectors, or as zeros where the file has grown.
func (f *simFile) afterPowerCut(random *rand.Rand) []byte {
	data := append([]byte(nil), f.synced...)
	for _, w := range f.unsynced {
		if w.cut {
			if random.IntN(2) == 0 {
				data = resized(data, w.at)
			}
			continue
		}
		switch random.IntN(5) {
		case 0: // the write did not reach the disk
		case 1:
			data = written(data, w.at, w.data)
		case 2:
			data = written(data, w.at, w.data[:random.IntN(len(w.data)+1)])
		case 3:
			data = written(data, w.at, f.zeroed(w))
		case 4:
			data = bySectors(random, data, w)
		}
	}
	return data
}

// zeroed returns a write that consists of zeros wherever it would change the file.
func (f *simFile) zeroed(w simWrite) []byte {
	data := make([]byte, len(w.data))
	for i, c := range w.data {
		if at := int(w.at) + i; at < len(f.synced) && f.synced[at] == c {
			data[i] = c
		}
	}
	return data
}

func bySectors(random *rand.Rand, data []byte, w simWrite) []byte {
	for at := 0; at < len(w.data); {
		end := min(len(w.data), at+sector-int(w.at+int64(at))%sector)
		if random.IntN(2) == 0 {
			data = written(data, w.at+int64(at), w.data[at:end])
		}
		at = end
	}
	return data
}

func resized(data []byte, size int64) []byte {
	if size <= int64(len(data)) {
		return data[:size]
	}
	return append(data, make([]byte, size-int64(len(data)))...)
}

func written(data []byte, at int64, part []byte) []byte {
	if end := at + int64(len(part)); end > int64(len(data)) {
		data = resized(data, end)
	}
	copy(data[at:], part)
	return data
}

type simHandle struct {
	d *simDisk
	f *simFile
}

func (h *simHandle) ReadAt(p []byte, at int64) (int, error) {
	h.d.mu.Lock()
	defer h.d.mu.Unlock()
	if at >= int64(len(h.f.now)) {
		return 0, io.EOF
	}
	n := copy(p, h.f.now[at:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (h *simHandle) WriteAt(p []byte, at int64) (int, error) {
	h.d.mu.Lock()
	defer h.d.mu.Unlock()
	if err := h.d.spend(); err != nil {
		return 0, err
	}
	h.f.now = written(h.f.now, at, p)
	h.f.unsynced = append(h.f.unsynced, simWrite{at: at, data: append([]byte(nil), p...)})
	return len(p), nil
}

func (h *simHandle) Truncate(size int64) error {
	h.d.mu.Lock()
	defer h.d.mu.Unlock()
	return h.truncate(size)
}

func (h *simHandle) truncate(size int64) error {
	if err := h.d.spend(); err != nil {
		return err
	}
	h.f.now = resized(h.f.now, size)
	h.f.unsynced = append(h.f.unsynced, simWrite{at: size, cut: true})
	return nil
}

func (h *simHandle) Sync() error {
	h.d.mu.Lock()
	defer h.d.mu.Unlock()
	if err := h.d.spend(); err != nil {
		return err
	}
	writes := h.f.unsynced
	h.f.unsynced = nil
	if h.d.drop {
		h.d.drop = false
		return errDropped
	}
	for _, w := range writes {
		if w.cut {
			h.f.synced = resized(h.f.synced, w.at)
		} else {
			h.f.synced = written(h.f.synced, w.at, w.data)
		}
	}
	return nil
}

func (h *simHandle) Stat() (fs.FileInfo, error) {
	h.d.mu.Lock()
	defer h.d.mu.Unlock()
	return simInfo(len(h.f.now)), nil
}

func (h *simHandle) Close() error { return nil }

type simInfo int64

func (i simInfo) Size() int64      { return int64(i) }
func (simInfo) Name() string       { return "db" }
func (simInfo) Mode() fs.FileMode  { return private }
func (simInfo) ModTime() time.Time { return time.Time{} }
func (simInfo) IsDir() bool        { return false }
func (simInfo) Sys() any           { return nil }
