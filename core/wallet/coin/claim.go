package coin

import (
	"context"
)

// request lists the coins that a call must lock before it continues, by canonical ticker.
type request struct{ exclusive, shared []string }

// acquire waits until c can lock all that plan requests, all or nothing: no call holds a
// coin while it waits for a platform, so that there are no deadlocks. plan is called with
// the lock held, again after every change; its error ends the wait. Restorations of a coin
// that a user's call locks exclusively are preempted; those of a token's platform are
// waited for.
func (a *Active) acquire(ctx context.Context, c *claim, plan func() (request, error)) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	for {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		d, err := plan()
		if err != nil {
			return err
		}
		busy := false
		for other, alone := range a.conflicts(c, d) {
			busy = true
			if alone && c.preempt == nil && other.preempt != nil {
				other.preempt()
			}
		}
		if !busy {
			a.grant(c, d)
			return nil
		}
		a.wait(ctx)
	}
}

// conflicts returns the claims that c has to wait for, and whether c requests exclusively
// what they hold.
func (a *Active) conflicts(c *claim, d request) map[*claim]bool {
	others := make(map[*claim]bool)
	for _, key := range d.shared {
		if s := a.slots[key]; s != nil && s.exclusive != nil {
			others[s.exclusive] = false
		}
	}
	for _, key := range d.exclusive {
		if s := a.slots[key]; s != nil {
			for other := range s.shared {
				others[other] = true
			}
			if s.exclusive != nil {
				others[s.exclusive] = true
			}
		}
	}
	delete(others, c)
	return others
}

func (a *Active) grant(c *claim, d request) {
	for _, key := range d.exclusive {
		a.slot(key).exclusive = c
	}
	for _, key := range d.shared {
		s := a.slot(key)
		if s.shared == nil {
			s.shared = make(map[*claim]bool)
		}
		s.shared[c] = true
	}
}

// slot finds or adds a slot.
func (a *Active) slot(key string) *slot {
	s := a.slots[key]
	if s == nil {
		s = &slot{}
		a.slots[key] = s
	}
	return s
}

// wait releases the lock until a claim ends or ctx ends.
func (a *Active) wait(ctx context.Context) {
	changed := a.changed
	a.mu.Unlock()
	defer a.mu.Lock()
	select {
	case <-changed:
	case <-ctx.Done():
	}
}

// release ends a claim and wakes those that wait.
func (a *Active) release(c *claim) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for key, s := range a.slots {
		if s.exclusive == c {
			s.exclusive = nil
		}
		delete(s.shared, c)
		if s.record == nil && s.live == nil && s.exclusive == nil && len(s.shared) == 0 {
			delete(a.slots, key)
		}
	}
	close(a.changed)
	a.changed = make(chan struct{})
}
