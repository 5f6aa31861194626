package logging

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"
)

// File writes to a file that can be opened anew while it is written to, as programs that
// rotate logs ask for it, or else to the writer that it was made with. The zero value of
// its path, "", is that writer.
type File struct {
	mu    sync.Mutex
	other io.Writer
	file  *os.File
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

// Write writes a line; one that the file does not take goes to the other writer.
func (f *File) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.file != nil {
		if n, err := f.file.Write(p); err == nil {
			return n, nil
		}
	}
	return f.other.Write(p)
}
