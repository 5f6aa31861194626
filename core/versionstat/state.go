package versionstat

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"obverse/core/store"
)

// Bounds of the interval between two rounds.
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

// State says what the collector does.
type State string

// The states, and what each call makes of them:
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
	Updating State = "Updating" // a new interval waits for the next round
	Stopping State = "Stopping" // the round that runs is ended first
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

// machine is the state with what belongs to it.
type machine struct {
	mu       sync.Mutex
	state    State
	interval time.Duration
	next     time.Duration // takes interval's place while Updating
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
	m.started <- struct{}{} // the one before was taken, or there would be no Stopped
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

// round applies what was asked for since the last round, and says whether there is
// another one, with which interval after it, and what ends the wait.
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

// State reports what the collector does now.
func (c *Collector) State() State { return c.machine.now() }

// CanStart returns the error that Start would give for the state now, or nil.
func (c *Collector) CanStart() error { return c.State().start() }

// CanChange returns the error that Update and Stop would give for the state now, or nil.
func (c *Collector) CanChange() error { return c.State().change() }

// Start begins to collect: a round at once, and one each time that interval has
// passed after a round's end. Errors: ErrRunning, ErrStopping, ErrInterval, and the
// store's if it takes no answers.
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

// Update sets a new interval: the wait that follows the next round is the first one
// of that length. Errors: ErrNotRunning, ErrInterval.
func (c *Collector) Update(interval time.Duration) error {
	if err := c.CanChange(); err != nil {
		return err
	}
	if err := checkInterval(interval); err != nil {
		return err
	}
	return c.machine.update(interval)
}

// Stop ends the collecting. A wait ends at once. A round asks no further nodes and
// is stored with the answers of those that it asked: that takes a probe's time-out at
// most. Error: ErrNotRunning.
func (c *Collector) Stop() error { return c.machine.stop() }

func checkInterval(d time.Duration) error {
	if d < MinInterval || d > MaxInterval {
		return ErrInterval
	}
	return nil
}
