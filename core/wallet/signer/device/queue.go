package device

import (
	"context"
	"sync"
	"time"
)

// Queue lets one conversation at a time reach each device. The zero value is empty.
type Queue struct {
	mu    sync.Mutex
	turns map[string]*turn // of devices that have conversations
}

// turn is the state that all requests to one device share.
type turn struct {
	free  chan struct{} // holds one value while no conversation runs
	users int           // who talk or wait
}

// Limits of a queue. A request that waits too long would be shown to a user who no longer
// expects it, and who may confirm it in addition to its replacement.
const (
	turnWithin = 2 * time.Minute
	maxTurns   = 16 // who talk to a device or wait for it
)

// Turn waits until the other conversations with the device of an ID end, or ctx ends. The caller calls
// done once when its conversation is over. A queue that is full is Failed, one that does
// not move Timeout.
func (q *Queue) Turn(ctx context.Context, id string) (done func(), err error) {
	t := q.enter(id)
	if t == nil {
		return nil, Failf(Failed, "%d requests wait for the device, which is the limit: confirm or reject what it shows", maxTurns)
	}
	late := time.NewTimer(turnWithin)
	defer late.Stop()
	select {
	case <-t.free:
		return func() {
			t.free <- struct{}{}
			q.leave(id, t)
		}, nil
	case <-ctx.Done():
		q.leave(id, t)
		return nil, ctx.Err()
	case <-late.C:
		q.leave(id, t)
		return nil, Failf(Timeout, "device still shows an earlier request after %s: confirm or reject that, and ask again", turnWithin)
	}
}

// enter is nil for a queue that is full.
func (q *Queue) enter(id string) *turn {
	q.mu.Lock()
	defer q.mu.Unlock()
	t := q.turns[id]
	if t == nil {
		t = &turn{free: make(chan struct{}, 1)}
		t.free <- struct{}{}
		if q.turns == nil {
			q.turns = map[string]*turn{}
		}
		q.turns[id] = t
	}
	if t.users >= maxTurns {
		return nil
	}
	t.users++
	return t
}

func (q *Queue) leave(id string, t *turn) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if t.users--; t.users == 0 {
		delete(q.turns, id)
	}
}
