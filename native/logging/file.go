package logging

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"
	"time"
)

const (
	// heldTime is how long a line of Later waits for others at most.
	heldTime = 100 * time.Millisecond
	// maxHeld is how many bytes of lines wait at most.
	maxHeld = 64 << 10
)

// File writes to a file that can be reopened while it is written to, as programs that rotate
// logs require, or else to the writer that it was made with. The zero value of its path, "", is
// that writer.
type File struct {
	mu    sync.Mutex
	other io.Writer
	file  *os.File
	held  []byte // lines of Later that are not written yet
	timer *time.Timer
}

// NewFile makes a File that writes to w.
func NewFile(w io.Writer) *File { return &File{other: w} }

// Open goes on in the file of this name, which is made if need be. After an error it goes
// on as before.
func (f *File) Open(path string) error {
	var file *os.File
	if path != "" {
		var err error
		if file, err = openLog(path); err != nil {
			return err
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	_ = f.flush() // lines of before belong into the file of before
	before := f.file
	f.file = file
	if before != nil {
		return before.Close()
	}
	return nil
}

// openLog takes no pipe, which would be waited for, and no device.
func openLog(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return nil, fmt.Errorf("log_file: %w", err)
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("log_file: %s is not a regular file", path)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// Write writes a line at once, after those that wait; one that the file does not take goes to the
// other writer.
func (f *File) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.held) > 0 {
		f.held = append(f.held, p...)
		return len(p), f.flush()
	}
	return len(p), f.write(p)
}

// Later writes a line within heldTime, together with others: with the next that is written at
// once, when maxHeld bytes wait, or by Flush. A process that is killed loses it.
func (f *File) Later(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.held) == 0 {
		f.wake()
	}
	if f.held = append(f.held, p...); len(f.held) >= maxHeld {
		return len(p), f.flush()
	}
	return len(p), nil
}

// wake flushes after heldTime. It is called with the lock held.
func (f *File) wake() {
	if f.timer == nil {
		f.timer = time.AfterFunc(heldTime, func() { _ = f.Flush() })
		return
	}
	f.timer.Reset(heldTime)
}

// Flush writes what waits.
func (f *File) Flush() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.flush()
}

// flush is called with the lock held.
func (f *File) flush() error {
	if len(f.held) == 0 {
		return nil
	}
	err := f.write(f.held)
	if f.held = f.held[:0]; cap(f.held) > 2*maxHeld {
		f.held = nil
	}
	return err
}

// write is called with the lock held. Of several lines the other writer gets those that the file
// has not taken whole.
func (f *File) write(p []byte) error {
	if f.file != nil {
		n, err := f.file.Write(p)
		if err == nil {
			return nil
		}
		p = p[bytes.LastIndexByte(p[:n], '\n')+1:]
	}
	_, err := f.other.Write(p)
	return err
}
