// Package datalock ensures that only one process at a time uses a data folder, and publishes the
// addresses of this process to other processes. It does not know the contents of the folder.
//
// Source: flock(2). The lock belongs to the open file, so that a killed process leaves no lock
// behind. The contents of the file are only valid while the lock is held.
//
// Invariant: at most one process holds the Lock of a folder, even after kills.
package datalock

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/gofrs/flock"
)

// FileName is the lock file's name in the folder.
const FileName = "obverse.lock"

// ErrRunning means that another process holds the folder.
var ErrRunning = errors.New("already running")

// Running holds the data that a process publishes: its pid and, once it answers, the addresses of both
// APIs.
type Running struct {
	PID    int    `json:"pid"`
	Node   string `json:"node,omitempty"`
	Daemon string `json:"daemon,omitempty"`
}

// Lock is held until Release or the end of the process.
type Lock struct {
	file     *flock.Flock
	warnings []string
}

// Acquire creates the folder if it does not exist, and locks it. It retries for a moment, because
// Find holds the lock for a short time.
func Acquire(dir string) (*Lock, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("data folder %s: %w", dir, err)
	}
	l := &Lock{file: open(dir)}
	err := checkFile(l.file.Path())
	if err == nil {
		l.warnings, err = checkFolder(dir)
	}
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 250*time.Millisecond)
	defer cancel()
	locked, err := l.file.TryLockContext(ctx, 10*time.Millisecond)
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, fmt.Errorf("%w, pid %d (data folder %s)", ErrRunning, l.read().PID, dir)
	}
	if err != nil || !locked {
		return nil, fmt.Errorf("lock data folder %s: %w", dir, err)
	}
	if err := l.Publish(Running{PID: os.Getpid()}); err != nil {
		return nil, errors.Join(err, l.file.Unlock())
	}
	return l, nil
}

// Warnings returns warnings about other users who may write to the folder.
func (l *Lock) Warnings() []string { return l.warnings }

// Publish sets the data that Find returns in other processes.
func (l *Lock) Publish(r Running) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return l.write(append(text, '\n'))
}

// write replaces the content of the locked file.
func (l *Lock) write(text []byte) error {
	file, err := os.OpenFile(l.file.Path(), os.O_WRONLY|openFlags, 0)
	if err != nil {
		return err
	}
	err = checkInfo(l.file.Path(), file.Stat)
	if err == nil {
		err = file.Truncate(0)
	}
	if err == nil {
		_, err = file.Write(text)
	}
	return errors.Join(err, file.Close())
}

// Release ends the lock. It does not remove the file, because two processes could then
// lock two files of the same name.
func (l *Lock) Release() error {
	return errors.Join(l.write(nil), l.file.Unlock())
}

// Find returns the data that the process that holds the folder has published.
func Find(dir string) (r Running, running bool) {
	l := &Lock{file: open(dir)}
	if info, err := os.Lstat(l.file.Path()); err != nil || !info.Mode().IsRegular() {
		return Running{}, false
	}
	if free, err := l.file.TryRLock(); err != nil || free {
		l.file.Close()
		return Running{}, false
	}
	return l.read(), true
}

// openFlags prevent that a link is followed and that opening a pipe blocks.
const openFlags = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

func open(dir string) *flock.Flock {
	return flock.New(filepath.Join(dir, FileName), flock.SetPermissions(0o600), flock.SetFlag(os.O_CREATE|os.O_RDONLY|openFlags))
}

// read returns the zero value for a file that is empty or half written.
func (l *Lock) read() (r Running) {
	text, err := os.ReadFile(l.file.Path())
	if err != nil || json.Unmarshal(text, &r) != nil {
		return Running{}
	}
	return r
}
