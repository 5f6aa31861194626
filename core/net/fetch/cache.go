package fetch

import (
	"context"
	"sync"
	"time"

	"obverse/core/guard"
)

// maxCached limits the number of answers in a Cache.
const maxCached = 1024

// Question is the key of an answer in a Cache.
type Question struct {
	Quantity string // requested quantity, as used in Invalidate, such as "balance"
	Key      string // subject of the question, such as "cosmos1…"
}

// Cache merges concurrent requests for the same value and caches each answer for a limited
// time. Callers that wait for one request also share its error; errors are not cached. Its
// methods may be called concurrently; all callers share the value, so it must not be modified.
type Cache[V any] struct{ flights flights }

// flights is a Cache of values of unspecified type.
type flights struct {
	now     func() time.Time
	mu      sync.Mutex
	answers map[Question]*answer
}

// answer is a cached answer or a pending request.
type answer struct {
	done    chan struct{} // closed when the other fields are set
	value   any
	err     error
	expires time.Time

	waiting int // number of waiting callers; at zero, the request is cancelled
	giveUp  context.CancelFunc
}

// NewCache returns an empty cache with the given clock.
func NewCache[V any](now func() time.Time) *Cache[V] {
	return &Cache[V]{flights{now: now, answers: make(map[Question]*answer)}}
}

// Get returns the cached answer, waits for a pending request, or calls ask. An answer is cached
// for ttl after it arrived; a ttl of 0 disables caching. Get returns when ctx ends. The context
// of ask has the values of the first waiting caller, and ends when the last caller stops
// waiting.
func (c *Cache[V]) Get(ctx context.Context, q Question, ttl time.Duration, ask func(context.Context) (V, error)) (V, error) {
	got, err := c.flights.get(ctx, q, ttl, func(ctx context.Context) (any, error) { return ask(ctx) })
	value, _ := got.(V) // zero if there is an error or the answer is a nil interface
	return value, err
}

// Invalidate removes the answers about these quantities, or all answers. Pending requests still
// answer their present callers, but no later ones.
func (c *Cache[V]) Invalidate(quantities ...string) { c.flights.invalidate(quantities) }

func (c *flights) get(ctx context.Context, q Question, ttl time.Duration, ask func(context.Context) (any, error)) (any, error) {
	c.mu.Lock()
	a := c.answers[q]
	if a == nil || a.over() && !c.now().Before(a.expires) {
		a = c.begin(ctx, q, ttl, ask)
	}
	a.waiting++
	c.mu.Unlock()
	defer c.leave(q, a)
	select {
	case <-a.done:
		return a.value, a.err
	default:
	}
	select {
	case <-a.done:
		return a.value, a.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (a *answer) over() bool {
	select {
	case <-a.done:
		return true
	default:
		return false
	}
}

// begin sends the request in a goroutine. The request is cancelled when no caller waits for it
// any more.
func (c *flights) begin(ctx context.Context, q Question, ttl time.Duration, ask func(context.Context) (any, error)) *answer {
	c.makeRoom()
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	a := &answer{done: make(chan struct{}), giveUp: cancel}
	c.answers[q] = a
	go func() {
		defer cancel()
		var value any
		err := guard.Do(ctx, "asking for "+q.Quantity, func() (err error) {
			value, err = ask(ctx)
			return err
		})
		c.mu.Lock()
		defer c.mu.Unlock()
		a.value, a.err, a.expires = value, err, c.now().Add(ttl)
		if c.answers[q] == a && (err != nil || ttl <= 0) {
			delete(c.answers, q)
		}
		close(a.done)
	}()
	return a
}

// leave cancels a request without callers. A later caller starts a new one.
func (c *flights) leave(q Question, a *answer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	a.waiting--
	if a.waiting > 0 || a.over() {
		return
	}
	a.giveUp()
	if c.answers[q] == a {
		delete(c.answers, q)
	}
}

// makeRoom drops expired answers and, if there are still too many, others without waiting
// callers.
func (c *flights) makeRoom() {
	now := c.now()
	for q, a := range c.answers {
		if a.over() && !now.Before(a.expires) {
			delete(c.answers, q)
		}
	}
	for q, a := range c.answers {
		if len(c.answers) < maxCached {
			return
		}
		if a.over() {
			delete(c.answers, q)
		}
	}
}

func (c *flights) invalidate(quantities []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(quantities) == 0 {
		clear(c.answers)
		return
	}
	for q := range c.answers {
		for _, quantity := range quantities {
			if q.Quantity == quantity {
				delete(c.answers, q)
			}
		}
	}
}
