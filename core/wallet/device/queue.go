package device

import (
	"context"
	"sync"
)

// Queue lets one conversation at a time reach each device. The zero value is empty.
type Queue struct {
	mu    sync.Mutex
	turns map[string]*turn // of devices that have conversations
}

// turn is what the conversations of one device share.
type turn struct {
	free  chan struct{} // holds one value while nobody talks
	users int           // who talk or wait
}

// Turn waits until nobody else talks to the device of an ID, or ctx ends. The caller calls
// done once when its conversation is over.
func (q *Queue) Turn(ctx context.Context, id string) (done func(), err error) {
	t := q.enter(id)
	select {
	case <-t.free:
		return func() {
			t.free <- struct{}{}
			q.leave(id, t)
		}, nil
	case <-ctx.Done():
		q.leave(id, t)
		return nil, ctx.Err()
	}
}

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
