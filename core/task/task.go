// Package task runs work that continues after the call that started it. The caller gets a
// number, with which it queries the state. The package is independent of methods and kinds of
// work. Tasks do not survive a restart and are not retried.
//
// Source: Komodo DeFi Framework rpc_task, for the states and their transitions.
//
// Invariant: a task has ended before its outcome is returned. The outcome is kept until it was
// returned, the task was forgotten, or MaxEnded other tasks ended after it.
package task

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"obverse/core/guard"
	"obverse/core/task/handover"
)

// Limits of a Manager.
const (
	// MaxRunning is the maximum number of tasks that run at a time, including tasks that were
	// cancelled and have not ended yet.
	MaxRunning = 64
	// MaxEnded is the maximum number of outcomes that wait for their callers.
	MaxEnded = 1000
)

// ID is the number of a task, from 1. It is unique within a manager.
type ID uint64

// Errors of a Manager's methods, and of tasks.
var (
	// ErrNoSuchTask means that no task of the kind has the number, or that it was forgotten.
	ErrNoSuchTask = errors.New("no such task")
	// ErrFinished means that the task already has an outcome.
	ErrFinished = errors.New("the task has finished")
	// ErrCancelled means that the task was cancelled before its work handed over something that
	// cannot be undone.
	ErrCancelled = errors.New("the task was cancelled")
	// ErrNotAwaiting means that the task is running and has not asked the user anything.
	ErrNotAwaiting = errors.New("the task does not wait for a user action")
	// ErrTooMany means that MaxRunning tasks are running.
	ErrTooMany = fmt.Errorf("%d tasks are running, which is the limit", MaxRunning)
	// ErrTimeout is the outcome of a task that exceeded its time limit.
	ErrTimeout = errors.New("the task timed out")
	// ErrStopped means that the manager has stopped.
	ErrStopped = errors.New("the node is stopping")
)

// State is the state of a task.
type State string

// The states, by their names in the interface. A task runs until it ends with a result or an
// error. Meanwhile it may ask the user questions.
const (
	InProgress State = "InProgress"
	Asking     State = "UserActionRequired"
	Done       State = "Ok"
	Failed     State = "Error"
)

// HandedOverError reports that a task cannot be cancelled because it has handed over something
// that cannot be undone. It is an ErrFinished, since the outcome does not depend on the task
// any more.
type HandedOverError struct {
	ID   ID
	What string // a clause that says what was handed over: "transaction 1f… was given to a server"
}

func (e *HandedOverError) Error() string {
	return fmt.Sprintf("task %d cannot be cancelled: %s; ask for the status to see its outcome", e.ID, e.What)
}

// Is reports whether target is ErrFinished.
func (*HandedOverError) Is(target error) bool { return target == ErrFinished }

// Status is a state with its details.
type Status struct {
	State  State
	Detail any   // InProgress: the progress; Asking: the question; Done: the result
	Err    error // Failed: the reason
}

func (s Status) finished() bool { return s.State == Done || s.State == Failed }

// Work performs a task. Its context ends when the task is cancelled or exceeds its time limit,
// or when the manager stops. After handover.Begin it only ends when the manager stops. Work
// reports its progress through t.
type Work func(ctx context.Context, t *Task) (result any, err error)

// Options are the settings of a task.
type Options struct {
	Kind  string        // callers must name it to query the task
	First any           // Detail until the first progress report
	Limit time.Duration // time limit of the work; 0 means no limit
}

// Task is one task. Its methods are for its work.
type Task struct {
	manager *Manager
	id      ID
	options Options
	work    Work
	cancel  context.CancelFunc // nil means not started
	status  Status
	answer  chan json.RawMessage // holds the answer of the user
	late    *time.Timer          // ends the work at its time limit; may be nil
	given   string               // describes what was handed over; "" if nothing was
}

// Manager holds tasks of all kinds. Its methods are safe for concurrent use.
type Manager struct {
	mu     sync.Mutex
	next   ID
	tasks  map[ID]*Task
	active int  // number of tasks whose work has not ended, including forgotten ones
	ended  []ID // tasks with an outcome that is kept, the oldest first
	queue  []*Task
	queued chan struct{}
	over   bool
}

// New returns a manager without tasks. It starts work only in Run.
func New() *Manager { return &Manager{tasks: map[ID]*Task{}, queued: make(chan struct{}, 1)} }

// Run runs the work of the tasks until ctx ends, and returns when all of it has ended. It must
// be called once.
func (m *Manager) Run(ctx context.Context) error {
	var group sync.WaitGroup
	defer group.Wait()
	defer m.close()
	for {
		for _, t := range m.take() {
			group.Go(func() { m.do(ctx, t) })
		}
		select {
		case <-m.queued:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (m *Manager) take() []*Task {
	m.mu.Lock()
	defer m.mu.Unlock()
	queue := m.queue
	m.queue = nil
	return queue
}

// close makes Start fail from now on.
func (m *Manager) close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.over = true
}

// Start adds a task. Its errors are ErrTooMany and ErrStopped.
func (m *Manager) Start(o Options, work Work) (ID, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.over:
		return 0, ErrStopped
	case m.active >= MaxRunning:
		return 0, ErrTooMany
	}
	m.next++
	m.active++
	t := &Task{manager: m, id: m.next, options: o, work: work, status: Status{State: InProgress, Detail: o.First}}
	m.tasks[t.id] = t
	m.queue = append(m.queue, t)
	select {
	case m.queued <- struct{}{}:
	default: // Run is notified already
	}
	return t.id, nil
}

// do runs the work of a task, unless it was cancelled before.
func (m *Manager) do(ctx context.Context, t *Task) {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	ctx = handover.With(ctx, t.handOver)
	m.mu.Lock()
	if t.options.Limit > 0 {
		t.late = time.AfterFunc(t.options.Limit, func() { end(ErrTimeout) })
		defer t.late.Stop()
	}
	t.cancel = func() { end(context.Canceled) }
	cancelled := m.tasks[t.id] != t
	m.mu.Unlock()
	var result any
	var err error
	if !cancelled {
		result, err = t.run(ctx)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.active--
	if m.tasks[t.id] != t {
		return // the task was forgotten
	}
	t.status, t.answer = Status{State: Done, Detail: result}, nil
	if err != nil {
		t.status = Status{State: Failed, Err: err}
	}
	m.ended = append(m.ended, t.id)
	if len(m.ended) > MaxEnded {
		m.forget(m.ended[0])
	}
}

// run runs the work. It turns a panic and a timeout into an error.
func (t *Task) run(ctx context.Context) (result any, err error) {
	err = guard.Do(ctx, "a task", func() (err error) {
		result, err = t.work(ctx, t)
		return err
	})
	if err != nil && errors.Is(context.Cause(ctx), ErrTimeout) {
		err = fmt.Errorf("%w: it took longer than %s", ErrTimeout, t.options.Limit)
	}
	return result, err
}

// handOver is called before the work hands over something that cannot be undone. Its error is
// ErrCancelled or ErrTimeout.
func (t *Task) handOver(what string) error {
	m := t.manager
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.tasks[t.id] != t:
		return ErrCancelled
	case t.late != nil && !t.late.Stop() && t.given == "":
		return ErrTimeout
	}
	t.given = what
	return nil
}

// forget removes a task. The caller must hold the lock.
func (m *Manager) forget(id ID) {
	delete(m.tasks, id)
	m.ended = slices.DeleteFunc(m.ended, func(other ID) bool { return other == id })
}

// find returns a task. The caller must hold the lock.
func (m *Manager) find(kind string, id ID) (*Task, error) {
	if t := m.tasks[id]; t != nil && t.options.Kind == kind {
		return t, nil
	}
	return nil, fmt.Errorf("%w: %d", ErrNoSuchTask, id)
}

// Status returns the state of a task. With forget, it removes a task that has ended. Its error
// is ErrNoSuchTask.
func (m *Manager) Status(kind string, id ID, forget bool) (Status, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	t, err := m.find(kind, id)
	if err != nil {
		return Status{}, err
	}
	if forget && t.status.finished() {
		m.forget(id)
	}
	return t.status, nil
}

// Cancel stops a running task and forgets it. Changes that the task has made remain. Cancel
// does not wait for the work to end, but the work counts towards MaxRunning until then. The
// errors are ErrNoSuchTask, ErrFinished and, after handover.Begin, a *HandedOverError.
func (m *Manager) Cancel(kind string, id ID) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	t, err := m.find(kind, id)
	if err != nil {
		return err
	}
	if t.status.finished() {
		return fmt.Errorf("%w: %d", ErrFinished, id)
	}
	if t.given != "" {
		return &HandedOverError{id, t.given}
	}
	if t.cancel != nil {
		t.cancel()
	}
	m.forget(id)
	return nil
}

// Answer passes the user's answer to a task that has asked for it. The errors are
// ErrNoSuchTask, ErrFinished and ErrNotAwaiting.
func (m *Manager) Answer(kind string, id ID, answer json.RawMessage) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	t, err := m.find(kind, id)
	switch {
	case err != nil:
		return err
	case t.status.finished():
		return fmt.Errorf("%w: %d", ErrFinished, id)
	case t.status.State != Asking:
		return fmt.Errorf("%w: %d", ErrNotAwaiting, id)
	}
	t.status = Status{State: InProgress, Detail: t.options.First}
	t.answer <- answer // cannot block, since the channel has room for one answer
	return nil
}

// Report records the progress of the task.
func (t *Task) Report(detail any) {
	t.manager.mu.Lock()
	defer t.manager.mu.Unlock()
	t.options.First = detail
	t.status = Status{State: InProgress, Detail: detail}
}

// Ask asks the user a question and returns the answer. It fails when ctx ends.
func (t *Task) Ask(ctx context.Context, question any) (json.RawMessage, error) {
	answer := make(chan json.RawMessage, 1)
	t.manager.mu.Lock()
	t.answer = answer
	t.status = Status{State: Asking, Detail: question}
	t.manager.mu.Unlock()
	select {
	case text := <-answer:
		return text, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
