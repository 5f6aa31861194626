package versionstat

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"obverse/core/store"
)

// Limits of the interval between two rounds.
const (
	MinInterval = time.Second
	MaxInterval = 30 * 24 * time.Hour
)

// Errors of Start, Update and Stop.
var (
	ErrNotRunning = errors.New("versions are not being collected")
	ErrRunning    = errors.New("versions are being collected already")
	ErrStopping   = errors.New("collecting versions is stopping")
	ErrInterval   = fmt.Errorf("the interval must be from %.0f to %.0f seconds", MinInterval.Seconds(), MaxInterval.Seconds())
)

// State is the state of a collector.
type State string

// The states, and the state or error that follows from each call:
//
//	          Start        Update         Stop
//	Stopped   → Running    ErrNotRunning  ErrNotRunning
//	Running   ErrRunning   → Updating     → Stopping
//	Updating  ErrRunning   → Updating     → Stopping
//	Stopping  ErrStopping  ErrNotRunning  ErrNotRunning
//
// When a round would begin, Updating becomes Running with the new interval, and
// Stopping becomes Stopped.
const (
	Stopped  State = "Stopped"
	Running  State = "Running"
	Updating State = "Updating" // a new interval takes effect in the next round
	Stopping State = "Stopping" // the current round ends first
)

func (s State) start() error {
	switch s {
	case Stopped:
		return nil
	case Stopping:
		return ErrStopping
	}
	return ErrRunning
}

func (s State) change() error {
	if s == Stopped || s == Stopping {
		return ErrNotRunning
	}
	return nil
}

// machine holds the state and the data that belongs to it.
type machine struct {
	mu       sync.Mutex
	state    State
	interval time.Duration
	next     time.Duration // replaces interval while Updating
	started  chan struct{} // one token for each start
	halt     chan struct{} // closed by stop, replaced by start
}

func newMachine() machine {
	return machine{state: Stopped, started: make(chan struct{}, 1)}
}

func (m *machine) now() State {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.state
}

func (m *machine) start(interval time.Duration) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.state.start(); err != nil {
		return err
	}
	m.state, m.interval, m.halt = Running, interval, make(chan struct{})
	m.started <- struct{}{} // the previous token was taken, since the state was Stopped
	return nil
}

func (m *machine) update(interval time.Duration) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.state.change(); err != nil {
		return err
	}
	m.state, m.next = Updating, interval
	return nil
}

func (m *machine) stop() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.state.change(); err != nil {
		return err
	}
	m.state = Stopping
	close(m.halt)
	return nil
}

// round applies the calls since the last round. It reports whether there is another round, and
// returns the interval after it and a channel that ends the wait.
func (m *machine) round() (interval time.Duration, halt <-chan struct{}, more bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch m.state {
	case Stopping:
		m.state = Stopped
		return 0, nil, false
	case Updating:
		m.state, m.interval = Running, m.next
	}
	return m.interval, m.halt, true
}

// State returns the current state of the collector.
func (c *Collector) State() State { return c.machine.now() }

// CanStart returns the error that Start would return in the current state, or nil.
func (c *Collector) CanStart() error { return c.State().start() }

// CanChange returns the error that Update and Stop would return in the current state, or nil.
func (c *Collector) CanChange() error { return c.State().change() }

// Start starts collecting. The first round begins at once, and each later one begins when
// interval has passed since the end of the previous one. The errors are ErrRunning,
// ErrStopping, ErrInterval, and those of the store if answers cannot be stored.
func (c *Collector) Start(ctx context.Context, interval time.Duration) error {
	if err := c.CanStart(); err != nil {
		return err
	}
	if err := checkInterval(interval); err != nil {
		return err
	}
	if err := store.Apply(ctx, c.config.Store, store.Batch{}); err != nil {
		return err
	}
	return c.machine.start(interval)
}

// Update sets a new interval, which applies from the pause after the next round on. The errors
// are ErrNotRunning and ErrInterval.
func (c *Collector) Update(interval time.Duration) error {
	if err := c.CanChange(); err != nil {
		return err
	}
	if err := checkInterval(interval); err != nil {
		return err
	}
	return c.machine.update(interval)
}

// Stop stops collecting. A pause between rounds ends at once. A round asks no further nodes and
// is stored with the answers of the nodes that it has asked, which takes at most the timeout of
// a probe. The error is ErrNotRunning.
func (c *Collector) Stop() error { return c.machine.stop() }

func checkInterval(d time.Duration) error {
	if d < MinInterval || d > MaxInterval {
		return ErrInterval
	}
	return nil
}
