package guess

import (
	"context"
	"time"
)

// lane is a queue before one place. A wrong password keeps the place shut for a while
// after the one who gave it has left.
type lane struct {
	place chan struct{} // holds one; Go serves those that wait to send in their order
	free  time.Time     // when the next may look; set by whoever has the place
}

func newLane() *lane { return &lane{place: make(chan struct{}, 1)} }

// enter waits for the place, or until ctx ends. It waits aside, see Aside.
func (l *lane) enter(ctx context.Context, clock Clock, aside Aside) error {
	select {
	case l.place <- struct{}{}:
	default:
		if err := aside.wait(ctx, l.queue); err != nil {
			return err
		}
	}
	rest := l.free.Sub(clock.Now())
	if rest <= 0 {
		return nil
	}
	err := aside.wait(ctx, func(ctx context.Context) error { return clock.Sleep(ctx, rest) })
	if err != nil {
		<-l.place
	}
	return err
}

func (l *lane) queue(ctx context.Context) error {
	select {
	case l.place <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// leave lets the next one in, after a pause.
func (l *lane) leave(clock Clock, pause time.Duration) {
	if pause > 0 {
		l.free = clock.Now().Add(pause)
	}
	<-l.place
}

// Aside calls wait with a context that ends when the caller is gone, and gives its
// error. Meanwhile the caller takes no place from those that have work. nil: waits are
// called with the context that there is.
type Aside func(wait func(ctx context.Context) error) error

func (a Aside) wait(ctx context.Context, wait func(ctx context.Context) error) error {
	if a == nil {
		return wait(ctx)
	}
	return a(wait)
}
