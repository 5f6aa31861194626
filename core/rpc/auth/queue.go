package auth

import (
	"context"
	"time"
)

// queue serves one caller at a time. After a wrong password it pauses before the next.
type queue struct {
	slot   chan struct{} // holds one token; Go serves waiting senders in order
	freeAt time.Time     // when the pause ends; set by the holder of slot
}

func newQueue() *queue { return &queue{slot: make(chan struct{}, 1)} }

// acquire waits for the slot, or until ctx ends. It waits by waiter, see Waiter.
func (l *queue) acquire(ctx context.Context, clock Clock, waiter Waiter) error {
	select {
	case l.slot <- struct{}{}:
	default:
		if err := waiter.wait(ctx, l.waitSlot); err != nil {
			return err
		}
	}
	rest := l.freeAt.Sub(clock.Now())
	if rest <= 0 {
		return nil
	}
	err := waiter.wait(ctx, func(ctx context.Context) error { return clock.Sleep(ctx, rest) })
	if err != nil {
		<-l.slot
	}
	return err
}

func (l *queue) waitSlot(ctx context.Context) error {
	select {
	case l.slot <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// release frees the slot after a pause.
func (l *queue) release(clock Clock, pause time.Duration) {
	if pause > 0 {
		l.freeAt = clock.Now().Add(pause)
	}
	<-l.slot
}

// Waiter calls wait with a context that ends when the client disconnects, and returns its error.
// Meanwhile the caller holds no slot of the server. If nil, wait is called with the current
// context.
type Waiter func(wait func(ctx context.Context) error) error

func (w Waiter) wait(ctx context.Context, wait func(ctx context.Context) error) error {
	if w == nil {
		return wait(ctx)
	}
	return w(wait)
}
