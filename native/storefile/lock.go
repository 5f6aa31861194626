package storefile

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"
)

// ErrInUse means that another process uses a file.
var ErrInUse = errors.New("another process uses this file, under this or another name of it (a hard link or a mount)")

// Lock prevents that another process uses a store's file under another name, against which the lock
// of the data folder does not help: a hard link, or a mount of the file alone. The zero value holds
// no lock. It is safe for concurrent use.
type Lock struct {
	mu   sync.Mutex
	held *os.File
}

// Take locks the file at path, and releases the file that was locked before. Take must be called again after a compaction, which
// replaces the store's file. If the file does not exist, or the file system has no locks, nothing is
// locked.
func (l *Lock) Take(path string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	file, err := regular(path)
	if err != nil {
		return nil // opening the store returns the error
	}
	if l.holds(file) {
		return file.Close()
	}
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return errors.Join(fmt.Errorf("%s: %w", path, ErrInUse), file.Close())
	}
	before := l.held
	l.held = file
	if before != nil {
		return before.Close()
	}
	return nil
}

func (l *Lock) holds(file *os.File) bool {
	if l.held == nil {
		return false
	}
	one, err := l.held.Stat()
	if err != nil {
		return false
	}
	other, err := file.Stat()
	return err == nil && os.SameFile(one, other)
}

// Release ends the lock.
func (l *Lock) Release() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held == nil {
		return nil
	}
	held := l.held
	l.held = nil
	return held.Close()
}
