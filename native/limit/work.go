package limit

import (
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Reasons for refusing a request.
var (
	ErrBusy    = errors.New("Work queue depth exceeded") // komodod's text
	ErrClosing = errors.New("the node is shutting down")
	ErrDropped = errors.New("connection closed: too many connections")
	ErrStreams = errors.New("too many event streams are open")
)

// Work limits the running requests and the open streams of all ports together.
type Work struct {
	inFlight
	slots      slots
	batches    slots // of clients that have shown no password
	turn       time.Duration
	maxStreams int
	ended      chan struct{}
	closing    atomic.Bool

	mu      sync.Mutex
	streams map[Stream]struct{}
}

// Stream is an answer that does not end by itself.
type Stream interface {
	// End makes the stream end soon, even if the client does not read.
	End()
}

// NewWork limits the running requests to count, and the open streams. A request waits for a slot for at
// most turn.
func NewWork(count int, turn time.Duration, streams int) *Work {
	return &Work{slots: make(slots, count), batches: make(slots, min(MaxAnonymousBatches, count)), turn: turn, maxStreams: streams,
		ended: make(chan struct{}), streams: map[Stream]struct{}{}}
}

// Admit lets a stream begin, unless there are too many. Call Dismiss when the stream has ended. A stream
// needs no slot.
func (w *Work) Admit(s Stream) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closing.Load() {
		return ErrClosing
	}
	if len(w.streams) >= w.maxStreams {
		return fmt.Errorf("%w: the limit is %d", ErrStreams, w.maxStreams)
	}
	w.streams[s] = struct{}{}
	return nil
}

// Dismiss removes a stream from the open ones.
func (w *Work) Dismiss(s Stream) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.streams, s)
}

// Close refuses further work and ends all streams, which would not end by themselves.
func (w *Work) Close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.closing.Swap(true) {
		close(w.ended)
	}
	for s := range w.streams {
		s.End()
	}
}

// Closing reports whether Close was called.
func (w *Work) Closing() bool { return w.closing.Load() }

// slot is the concurrency slot of a running request, which may release it while it waits.
type slot struct {
	work *Work

	mu        sync.Mutex
	batch     bool // an anonymous client's batch, which needs a slot in Work.batches too
	inBatches bool
	inSlots   bool
}

// acquire waits for a slot. Batches of anonymous clients have few slots.
func (s *slot) acquire(w *Work, batch bool) error {
	if w.closing.Load() {
		return ErrClosing
	}
	s.work, s.batch = w, batch
	if s.batch {
		if err := w.batches.acquire(w.turn, w.ended); err != nil {
			return err
		}
		s.inBatches = true
	}
	if err := w.slots.acquire(w.turn, w.ended); err != nil {
		s.release()
		return err
	}
	s.inSlots = true
	return nil
}

// release frees the slot. Further calls do nothing.
func (s *slot) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.releaseBatch()
	if s.inSlots {
		s.inSlots = false
		s.work.slots.release()
	}
}

// markAuthenticated records that the client showed a password.
func (s *slot) markAuthenticated() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.batch = false
	s.releaseBatch()
}

// releaseBatch releases the slot in Work.batches. The lock must be held.
func (s *slot) releaseBatch() {
	if s.inBatches {
		s.inBatches = false
		s.work.batches.release()
	}
}

// reacquire waits for a slot after release. It returns without one when the server ends.
func (s *slot) reacquire() {
	s.mu.Lock()
	batch := s.batch
	s.mu.Unlock()
	inBatches := batch && s.work.batches.wait(s.work.ended)
	inSlots := s.work.slots.wait(s.work.ended)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inBatches, s.inSlots = inBatches, inSlots
	if !s.batch {
		s.releaseBatch()
	}
}

// MaxAnonymousBatches limits the running batches of clients that have shown no password. A
// batch costs a hundred times as much as another request.
const MaxAnonymousBatches = 8

// slots is a semaphore. Each successful acquire or wait needs one release.
type slots chan struct{}

// acquire waits for a slot, at most for wait, or until ended is closed.
func (t slots) acquire(wait time.Duration, ended <-chan struct{}) error {
	select {
	case t <- struct{}{}:
		return nil
	default:
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case t <- struct{}{}:
		return nil
	case <-ended:
		return ErrClosing
	case <-timer.C:
		return ErrBusy
	}
}

// wait waits for a slot until ended is closed, and reports whether it has one.
func (t slots) wait(ended <-chan struct{}) bool {
	select {
	case t <- struct{}{}:
		return true
	case <-ended:
		return false
	}
}

func (t slots) release() { <-t }

// inFlight counts the running handlers, so that a caller can wait until all have returned.
type inFlight struct {
	mu    sync.Mutex
	count int
	none  chan struct{} // closed when count falls to zero; nil: no caller waits
}

// Counting counts the requests of a handler.
func (f *inFlight) Counting(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.add(1)
		defer f.add(-1)
		next.ServeHTTP(w, r)
	})
}

func (f *inFlight) add(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.count += n
	f.notify()
}

// Empty returns a channel that is closed once no handler runs.
func (f *inFlight) Empty() <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.none == nil {
		f.none = make(chan struct{})
	}
	none := f.none
	f.notify()
	return none
}

// notify closes the channel of Empty if no handler runs. The lock must be held.
func (f *inFlight) notify() {
	if f.count == 0 && f.none != nil {
		close(f.none)
		f.none = nil
	}
}
