package auth

import (
	"container/list"
	"context"
	"errors"
	"sync"
	"time"
)

// Limits of guessing.
const (
	pause        = 20 * time.Millisecond // after a wrong password from an origin
	overallPause = 5 * time.Millisecond  // after a wrong password from any remote origin
	maxWaiting   = 1024                  // maximum number of waiting passwords, for one origin and for all unknown origins together
	maxUnknown   = maxWaiting / 8        // maximum number for one unknown origin, so that others have room
	maxWatched   = 4096                  // maximum number of remembered origins
	maxKnown     = 256                   // maximum number of remembered remote origins that used the correct password
)

var (
	// ErrWrong reports that the password was checked and is wrong.
	ErrWrong = errors.New("wrong password")
	// ErrBusy reports that the password was not checked, because too many are waiting.
	ErrBusy = errors.New("too many passwords from this address are being checked, try again in a second")
)

// Clock provides the current time and a sleep. Sleep returns early, with ctx's error, when ctx
// ends. A Clock must be safe for concurrent use.
type Clock interface {
	Now() time.Time
	Sleep(ctx context.Context, d time.Duration) error
}

// Limiter limits the guesses of one password. It is safe for concurrent use. If there are more
// origins than it can remember, it evicts those that have been inactive longest.
type Limiter struct {
	clock   Clock
	strong  bool // whether the password is Strong
	overall *queue

	mu      sync.Mutex
	waiting int                      // number of waiting passwords of unknown origins
	origins map[string]*list.Element // elements are *origin
	recent  *list.List               // most recent first
	known   map[string]time.Time     // remote origins, with the time at which they used the correct password
}

// origin is a source of passwords.
type origin struct {
	name    string
	unknown bool // whether it is remote and had not used the correct password when this entry was created
	queue   *queue
	waiting int // number of passwords being checked or queued
	wrong   history
}

// New returns a limiter for a password. The argument strong reports whether the password is
// Strong.
func New(strong bool, clock Clock) *Limiter {
	return &Limiter{clock: clock, strong: strong, overall: newQueue(),
		origins: map[string]*list.Element{}, recent: list.New(), known: map[string]time.Time{}}
}

// Attempt is a password in a request.
type Attempt struct {
	Origin string      // result of the function Origin
	Again  bool        // whether a password in the same request was wrong before, so that this one does not count
	Waiter Waiter      // way of waiting; may be nil
	Right  func() bool // must be fast, since others may wait for it
}

// Try waits for the origin's turn and calls a.Right, which checks the password. It returns nil
// if the password is correct, and ErrWrong with the origin's record if it is not. If the
// password is not checked, Try returns ErrBusy or, if ctx ends before, the error of ctx.
func (l *Limiter) Try(ctx context.Context, a Attempt) (Record, error) {
	if l.strong && a.Right() {
		l.reset(a.Origin)
		return Record{}, nil
	}
	if r, looked, err := l.tryUnqueued(a); looked {
		return r, err
	}
	o := l.reserve(a.Origin)
	if o == nil {
		return Record{}, ErrBusy
	}
	defer l.release(o)
	release, err := l.waitTurn(ctx, o, a.Waiter)
	if err != nil {
		return Record{}, err
	}
	right := a.Right()
	defer release(right)
	if right {
		l.reset(a.Origin)
		return Record{}, nil
	}
	return l.recordWrong(o, a.Again), ErrWrong
}

// waitTurn waits for the origin's turn. Unknown origins also share a second queue, since an
// attacker may use many networks. Origins that have used the correct password skip it.
func (l *Limiter) waitTurn(ctx context.Context, o *origin, waiter Waiter) (release func(right bool), err error) {
	if err := o.queue.acquire(ctx, l.clock, waiter); err != nil {
		return nil, err
	}
	if !o.unknown || l.isKnown(o.name) {
		return func(right bool) { o.queue.release(l.clock, pauseUnless(right, pause)) }, nil
	}
	if err := l.overall.acquire(ctx, l.clock, waiter); err != nil {
		o.queue.release(l.clock, 0)
		return nil, err
	}
	return func(right bool) {
		l.overall.release(l.clock, pauseUnless(right, overallPause))
		o.queue.release(l.clock, pauseUnless(right, pause))
	}, nil
}

func pauseUnless(right bool, pause time.Duration) time.Duration {
	if right {
		return 0
	}
	return pause
}

// WaitDelay waits for the Delay of the nth wrong password of an origin.
func (l *Limiter) WaitDelay(ctx context.Context, n int, waiter Waiter) error {
	return waiter.wait(ctx, func(ctx context.Context) error { return l.clock.Sleep(ctx, Delay(n)) })
}

// Record returns the record of an origin's wrong passwords.
func (l *Limiter) Record(name string) Record {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e := l.origins[name]; e != nil {
		return e.Value.(*origin).wrong.record(l.clock.Now())
	}
	return Record{Left: Allowed}
}

// tryUnqueued checks a password immediately if its origin has no entry and is not unknown,
// since there is no pause and no queued password in that case. A wrong password is counted, and
// the pause begins before the lock is released, whether or not the caller is still connected.
func (l *Limiter) tryUnqueued(a Attempt) (r Record, looked bool, err error) {
	remote := isRemote(a.Origin)
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, known := l.known[a.Origin]; l.origins[a.Origin] != nil || remote && !known {
		return Record{}, false, nil
	}
	if a.Right() {
		l.remember(a.Origin, remote)
		return Record{}, true, nil
	}
	o := l.add(a.Origin).Value.(*origin)
	now := l.clock.Now()
	o.queue.freeAt = now.Add(pause)
	if !a.Again {
		o.wrong.add(now)
	}
	return o.wrong.record(now), true, ErrWrong
}

// reserve returns the entry of an origin, creating it if necessary, and counts a password as
// queued. It returns nil if too many are waiting. Origins that have used the correct password
// do not count as unknown.
func (l *Limiter) reserve(name string) *origin {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.origins[name]
	if e == nil {
		e = l.add(name)
	}
	o := e.Value.(*origin)
	if o.waiting >= maxWaiting || o.unknown && (o.waiting >= maxUnknown || l.waiting >= maxWaiting) {
		l.drop(e)
		return nil
	}
	l.recent.MoveToFront(e)
	o.waiting++
	if o.unknown {
		l.waiting++
	}
	return o
}

// add creates the entry of an origin.
func (l *Limiter) add(name string) *list.Element {
	l.evict()
	o := &origin{name: name, queue: newQueue()}
	_, known := l.known[name]
	o.unknown = isRemote(name) && !known
	e := l.recent.PushFront(o)
	l.origins[name] = e
	return e
}

// evict removes the origins that have been inactive longest and have no queued passwords. There
// are fewer than maxWatched origins with queued passwords.
func (l *Limiter) evict() {
	for e := l.recent.Back(); e != nil && l.recent.Len() >= maxWatched; {
		before := e.Prev()
		if e.Value.(*origin).waiting == 0 {
			l.recent.Remove(e)
			delete(l.origins, e.Value.(*origin).name)
		}
		e = before
	}
}

// release reverts reserve.
func (l *Limiter) release(o *origin) {
	l.mu.Lock()
	defer l.mu.Unlock()
	o.waiting--
	if o.unknown {
		l.waiting--
	}
	l.drop(l.origins[o.name])
}

// drop removes an origin, unless it has queued or wrong passwords.
func (l *Limiter) drop(e *list.Element) {
	o := e.Value.(*origin)
	if o.waiting == 0 && o.wrong.count == 0 && !o.queue.freeAt.After(l.clock.Now()) {
		l.recent.Remove(e)
		delete(l.origins, o.name)
	}
}

func (l *Limiter) recordWrong(o *origin, again bool) Record {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.clock.Now()
	if !again {
		o.wrong.add(now)
	}
	return o.wrong.record(now)
}

// reset clears the wrong passwords of an origin that used the correct password.
func (l *Limiter) reset(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e := l.origins[name]; e != nil {
		e.Value.(*origin).wrong = history{}
		l.drop(e)
	}
	if !l.strong {
		l.remember(name, isRemote(name))
	}
}

// remember records that a remote origin used the correct password.
func (l *Limiter) remember(name string, remote bool) {
	if !remote {
		return
	}
	if _, is := l.known[name]; !is && len(l.known) >= maxKnown {
		oldest, when := name, l.clock.Now()
		for n, t := range l.known {
			if t.Before(when) {
				oldest, when = n, t
			}
		}
		delete(l.known, oldest)
	}
	l.known[name] = l.clock.Now()
}

func (l *Limiter) isKnown(name string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, is := l.known[name]
	return is
}

// queue serves one caller at a time. After a wrong password, it pauses before the next caller.
type queue struct {
	slot   chan struct{} // holds one token; Go serves waiting senders in order
	freeAt time.Time     // end of the pause; set by the holder of slot
}

func newQueue() *queue { return &queue{slot: make(chan struct{}, 1)} }

// acquire waits for the slot with waiter, until ctx ends.
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

// Waiter calls wait with a context that ends when the client disconnects, and returns its
// error. Meanwhile, the caller does not occupy a slot of the server. If a Waiter is nil, wait
// is called with the current context.
type Waiter func(wait func(ctx context.Context) error) error

func (w Waiter) wait(ctx context.Context, wait func(ctx context.Context) error) error {
	if w == nil {
		return wait(ctx)
	}
	return w(wait)
}
