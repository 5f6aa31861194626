package coin

import (
	"context"
	"reflect"
	"slices"
	"sync"

	"obverse/core/guard"
)

// task is the work of one Runner.
type task struct {
	ticker string
	run    func(context.Context) error
	cancel context.CancelFunc // nil means not started
	ended  chan struct{}
}

// change is the change of a slot: the task of the old coin and that of the new one, which starts
// when the old one has ended. Either may be nil.
type change struct{ ended, begins *task }

// replace replaces the coins in their slots. Tokens of a replaced platform that are not among the
// new coins move to the new platform. The caller holds the slots.
func (a *Active) replace(records []record, coins []Coin, restored bool) {
	a.mu.Lock()
	var changes []change
	fresh := make(map[string]bool)
	for _, r := range records {
		fresh[r.Key] = true
	}
	for n, r := range records {
		before := a.slot(r.Key).live
		changes = append(changes, a.set(r, coins[n], restored))
		if same(before, coins[n]) {
			continue
		}
		for _, key := range a.tokens(r.Key) {
			s := a.slots[key]
			if token, is := s.live.(Token); is && !fresh[key] {
				changes = append(changes, a.set(*s.record, token.OnPlatform(coins[n]), s.restored))
			}
		}
	}
	a.mu.Unlock()
	a.settle(changes)
}

// set sets the record and the coin of a slot. The caller must hold the lock.
func (a *Active) set(r record, coin Coin, restored bool) change {
	s := a.slot(r.Key)
	stays := same(s.live, coin)
	s.record, s.live, s.restored = &r, coin, restored
	if stays {
		return change{}
	}
	c := change{ended: s.task}
	s.task = nil
	if runner, is := coin.(Runner); is {
		s.task = &task{ticker: coin.Ticker(), run: runner.Run, ended: make(chan struct{})}
		c.begins = s.task
	}
	return c
}

// same reports whether two coins are the same object.
func same(x, y Coin) bool {
	return x != nil && y != nil && reflect.TypeOf(x).Comparable() && x == y
}

// settle stops the tasks of removed coins and then starts the tasks of new ones.
func (a *Active) settle(changes []change) {
	for _, c := range changes {
		a.stop(c.ended)
	}
	for _, c := range changes {
		if c.ended != nil {
			<-c.ended.ended
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, c := range changes {
		if c.begins != nil {
			a.queue = append(a.queue, c.begins)
		}
	}
	select {
	case a.wake <- struct{}{}:
	default: // Run is awake already
	}
}

// stop cancels a task.
func (a *Active) stop(t *task) {
	if t == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if t.cancel != nil {
		t.cancel()
		return
	}
	a.queue = slices.DeleteFunc(a.queue, func(queued *task) bool { return queued == t })
	close(t.ended)
}

// Run runs the active coins, see Runner, until ctx ends, and returns when all of them have stopped.
// It must be called once. The coins stay in the store for the next start.
func (a *Active) Run(ctx context.Context) error {
	var group sync.WaitGroup
	defer group.Wait()
	for {
		a.mu.Lock()
		for _, t := range a.queue {
			work, cancel := context.WithCancel(ctx)
			t.cancel = cancel
			group.Go(func() {
				defer close(t.ended)
				defer cancel()
				if err := t.do(work); err != nil && work.Err() == nil && a.failed != nil {
					a.failed(t.ticker, err)
				}
			})
		}
		a.queue = nil
		a.mu.Unlock()
		select {
		case <-a.wake:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// do runs the task. A panic in it ends the work of this coin only.
func (t *task) do(ctx context.Context) error {
	return guard.Do(ctx, "the work of a coin", func() error { return t.run(ctx) })
}
