// Package instance sees to it that one process at a time uses a data folder, and
// tells other processes where that one answers. It knows nothing of what is in the
// folder.
//
// Source: flock(2): the lock belongs to the open file, so that a process that is
// killed leaves none behind; what the file says is only believed while it is held.
//
// Invariant: at most one Lock per folder is held, whatever is killed when.
package instance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

const lockName = "obverse.lock"

// ErrRunning reports that another process holds the folder.
var ErrRunning = errors.New("already running")

// Running is what a process says of itself: its pid and, once it answers, the
// addresses of both interfaces.
type Running struct {
	PID    int    `json:"pid"`
	Node   string `json:"node,omitempty"`
	Daemon string `json:"daemon,omitempty"`
}

// Lock is held until Release or the end of the process.
type Lock struct {
	file *flock.Flock
}

// Acquire makes the folder if need be and locks it. It tries for a moment, since
// Find holds the lock for the blink of an eye.
func Acquire(dir string) (*Lock, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	l := &Lock{open(dir)}
	ctx, cancel := context.WithTimeout(context.Background(), 250*time.Millisecond)
	defer cancel()
	locked, err := l.file.TryLockContext(ctx, 10*time.Millisecond)
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, fmt.Errorf("%w, pid %d (data folder %s)", ErrRunning, l.read().PID, dir)
	}
	if err != nil || !locked {
		return nil, fmt.Errorf("cannot lock %s: %w", dir, err)
	}
	return l, l.Publish(Running{PID: os.Getpid()})
}

// Publish replaces what Find tells other processes.
func (l *Lock) Publish(r Running) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return os.WriteFile(l.file.Path(), append(text, '\n'), 0o600)
}

// Release ends the lock. The file stays: to remove it would let two processes
// lock two files of one name.
func (l *Lock) Release() error {
	return errors.Join(os.Truncate(l.file.Path(), 0), l.file.Unlock())
}

// Find returns what the process that holds the folder published.
func Find(dir string) (r Running, running bool) {
	l := &Lock{open(dir)}
	if _, err := os.Stat(l.file.Path()); err != nil {
		return Running{}, false
	}
	if free, err := l.file.TryRLock(); err != nil || free {
		l.file.Close()
		return Running{}, false
	}
	return l.read(), true
}

func open(dir string) *flock.Flock {
	return flock.New(filepath.Join(dir, lockName), flock.SetPermissions(0o600))
}

// read gives the zero value for a file that is empty or half written.
func (l *Lock) read() (r Running) {
	text, err := os.ReadFile(l.file.Path())
	if err != nil || json.Unmarshal(text, &r) != nil {
		return Running{}
	}
	return r
}
