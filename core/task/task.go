// Package task runs work that goes on after the call that began it: the caller gets a
// number and asks for the state. It is independent of methods and kinds of work, does not
// survive a restart, and never retries.
//
// Source: Komodo DeFi Framework rpc_task, for the states and what they allow.
//
// Invariant: a task has ended before its outcome is returned. The outcome is held until it was
// returned, the task was forgotten, or MaxEnded others ended after it.
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

// Bounds of a Manager.
const (
	// MaxRunning is how many tasks may be at work at a time, those among them that were
	// cancelled and have not ended yet.
	MaxRunning = 64
	// MaxEnded limits the outcomes that wait for their callers.
	MaxEnded = 1000
)

// ID is a task's number, from 1; no other one of the manager has it.
type ID uint64

// Errors of a Manager's methods, and of tasks.
var (
	// ErrNoSuchTask means that no task of the kind has the number, or that it was forgotten.
	ErrNoSuchTask = errors.New("no such task")
	// ErrFinished: it has an outcome.
	ErrFinished = errors.New("the task has finished")
	// ErrCancelled is returned to work that is about to hand over what cannot be taken back, and
	// was cancelled.
	ErrCancelled = errors.New("the task was cancelled")
	// ErrNotAwaiting: the task is at work, and asks the user nothing.
	ErrNotAwaiting = errors.New("the task does not wait for a user action")
	// ErrTooMany: MaxRunning tasks are at work.
	ErrTooMany = fmt.Errorf("%d tasks are running, which is the limit", MaxRunning)
	// ErrTimeout is the outcome of a task that was not ready within its limit.
	ErrTimeout = errors.New("the task timed out")
	// ErrStopped: the manager runs no more.
	ErrStopped = errors.New("the node is stopping")
)

// State is how it stands with a task.
type State string

// The states, by their names in the interface. A task is at work until it is ready, with
// a result or an error; meanwhile it may ask the user something, any number of times.
const (
	InProgress State = "InProgress"
	Asking     State = "UserActionRequired"
	Done       State = "Ok"
	Failed     State = "Error"
)

// HandedOverError refuses to cancel a task that has handed over what cannot be taken back. It is
// an ErrFinished: the outcome does not depend on the task any more.
type HandedOverError struct {
	ID   ID
	What string // was handed over: "transaction 1f… was given to a server"
}

func (e *HandedOverError) Error() string {
	return fmt.Sprintf("task %d cannot be cancelled: %s; ask for the status to see its outcome", e.ID, e.What)
}

// Is makes it an ErrFinished.
func (*HandedOverError) Is(target error) bool { return target == ErrFinished }

// Status is a state with what belongs to it.
type Status struct {
	State  State
	Detail any   // InProgress: what it does; Asking: the question; Done: the result
	Err    error // Failed: why
}

func (s Status) finished() bool { return s.State == Done || s.State == Failed }

// Work performs a task. Its context ends when the task is cancelled or late, or when the
// manager ends. After handover.Begin it only ends with the manager. It reports its progress
// through t.
type Work func(ctx context.Context, t *Task) (result any, err error)

// Options are the settings of a task.
type Options struct {
	Kind  string        // callers must name it to ask for the task
	First any           // Detail until the first progress report
	Limit time.Duration // of the work; 0 means none
}

// Task is one work. Its methods are for the work.
type Task struct {
	manager *Manager
	id      ID
	options Options
	work    Work
	cancel  context.CancelFunc // nil means not started
	status  Status
	answer  chan json.RawMessage // holds what the user answered
	late    *time.Timer          // ends the work at its limit; may be nil
	given   string               // says what was handed over; "" means nothing was
}

// Manager holds tasks of all kinds. Its methods may be called by many.
type Manager struct {
	mu     sync.Mutex
	next   ID
	tasks  map[ID]*Task
	active int  // tasks whose work has not ended, whether anybody knows them or not
	ended  []ID // with an outcome that is kept, the oldest first
	queue  []*Task
	queued chan struct{}
	over   bool
}

// New makes a manager without tasks. Work begins with Run.
func New() *Manager { return &Manager{tasks: map[ID]*Task{}, queued: make(chan struct{}, 1)} }

// Run does the work of the tasks until ctx ends, and returns when all of it has ended.
// It is called once.
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

// close lets no more tasks in.
func (m *Manager) close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.over = true
}

// Start makes a task. Errors are ErrTooMany and ErrStopped.
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
	default: // Run looks anyway
	}
	return t.id, nil
}

// do does the work of a task, unless it was cancelled before.
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

// run turns a panic, and the end of the time, into an error.
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

// handOver is called before the work hands over what cannot be taken back. The error is
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

// forget drops a task. Call it with the lock held.
func (m *Manager) forget(id ID) {
	delete(m.tasks, id)
	m.ended = slices.DeleteFunc(m.ended, func(other ID) bool { return other == id })
}

// find looks a task up. Call it with the lock held.
func (m *Manager) find(kind string, id ID) (*Task, error) {
	if t := m.tasks[id]; t != nil && t.options.Kind == kind {
		return t, nil
	}
	return nil, fmt.Errorf("%w: %d", ErrNoSuchTask, id)
}

// Status reports how it stands with a task. With forget, a finished one is gone then. The
// error is ErrNoSuchTask.
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

// Cancel ends a running task and forgets it. Its changes stay. Cancel does not wait for the
// work to end, but until then it counts towards MaxRunning. Errors are ErrNoSuchTask,
// ErrFinished and, after handover.Begin, a *HandedOverError.
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

// Answer gives a task what it has asked the user for. Errors are ErrNoSuchTask,
// ErrFinished and ErrNotAwaiting.
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
	t.answer <- answer // which has room for one
	return nil
}

// Report records what the task is doing now.
func (t *Task) Report(detail any) {
	t.manager.mu.Lock()
	defer t.manager.mu.Unlock()
	t.options.First = detail
	t.status = Status{State: InProgress, Detail: detail}
}

// Ask waits for what the user answers to a question, or for the end of ctx.
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
