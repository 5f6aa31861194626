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
	// heldTime limits the time for which a line of Later is buffered.
	heldTime = 100 * time.Millisecond
	// maxHeld limits the buffered lines, in bytes.
	maxHeld = 64 << 10
)

// File writes to a file that can be reopened at any time, as programs that rotate
// logs require. Without a path it writes to the writer that was passed to NewFile.
type File struct {
	mu    sync.Mutex
	other io.Writer
	file  *os.File
	held  []byte // lines of Later that are not yet written
	timer *time.Timer
}

// NewFile returns a File that writes to w.
func NewFile(w io.Writer) *File { return &File{other: w} }

// Open continues in the file at path, which is created if it does not exist. After an error the File
// continues as before.
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
	_ = f.flush() // the buffered lines belong into the previous file
	before := f.file
	f.file = file
	if before != nil {
		return before.Close()
	}
	return nil
}

// openLog opens a regular file. It refuses devices, and pipes, whose opening would block.
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

// Write writes a line at once, after the buffered ones. If the file does not accept the line, it goes to
// the other writer.
func (f *File) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.held) > 0 {
		f.held = append(f.held, p...)
		return len(p), f.flush()
	}
	return len(p), f.write(p)
}

// Later buffers a line. The line is written within heldTime, together with others: with the next line of
// Write, when maxHeld bytes are buffered, or by Flush. It is lost if the process is killed.
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

// wake flushes after heldTime. The lock must be held.
func (f *File) wake() {
	if f.timer == nil {
		f.timer = time.AfterFunc(heldTime, func() { _ = f.Flush() })
		return
	}
	f.timer.Reset(heldTime)
}

// Flush writes the buffered lines.
func (f *File) Flush() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.flush()
}

// flush writes the buffered lines. The lock must be held.
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

// write writes lines to the file. The other writer gets the lines that the file has not accepted as a whole.
// The lock must be held.
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
