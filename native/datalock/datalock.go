// Package datalock ensures that one process at a time uses a data folder, and publishes that
// process's addresses to other processes. It does not know the contents of the folder.
//
// Source: flock(2): the lock belongs to the open file, so that a killed process leaves no lock
// behind; the contents of the file are only valid while the lock is held.
//
// Invariant: at most one Lock per folder is held, whatever is killed when.
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

// ErrRunning reports whether another process holds the folder.
var ErrRunning = errors.New("already running")

// Running is published by a process: its pid and, once it answers, the addresses of both
// interfaces.
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

// Acquire makes the folder if need be and locks it. It tries for a moment, since
// Find holds the lock for the blink of an eye.
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

// Warnings returns lines about who else may write to the folder.
func (l *Lock) Warnings() []string { return l.warnings }

// Publish replaces the result of Find in other processes.
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

// Release ends the lock. The file stays: to remove it would let two processes
// lock two files of one name.
func (l *Lock) Release() error {
	return errors.Join(l.write(nil), l.file.Unlock())
}

// Find returns what the process that holds the folder published.
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

// openFlags keep a link from leading elsewhere, and a pipe from being waited for.
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
