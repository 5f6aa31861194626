package guess

import (
	"container/list"
	"context"
	"errors"
	"sync"
	"time"
)

// Bounds of guessing.
const (
	pause        = 20 * time.Millisecond // after a wrong password of an origin
	overallPause = 5 * time.Millisecond  // after one of any origin that isRemote
	maxWaiting   = 1024                  // passwords of one origin, and of all strangers, that wait
	maxWatched   = 4096                  // origins remembered at a time
	maxKnown     = 256                   // those among the ones that isRemote that had the right password
)

var (
	// ErrWrong: the password was looked at and is not the right one.
	ErrWrong = errors.New("wrong password")
	// ErrBusy: too many passwords wait to be looked at; this one was not.
	ErrBusy = errors.New("too many passwords from this address are being checked, try again in a second")
)

// Clock is the current time and a sleep. Sleep returns early, with ctx's error, when ctx
// ends. Both are called from many goroutines.
type Clock interface {
	Now() time.Time
	Sleep(ctx context.Context, d time.Duration) error
}

// Limiter watches the guesses at one password. It is safe for concurrent use. Of a flood
// from more origins than it remembers it forgets those that were quiet longest.
type Limiter struct {
	clock   Clock
	strong  bool // the password is, see Strong
	overall *lane

	mu      sync.Mutex
	waiting int                      // passwords of strangers
	origins map[string]*list.Element // of *origin
	recent  *list.List               // the one that tried last comes first
	known   map[string]time.Time     // origins that isRemote, and when they had the right password
}

// origin is where passwords come from.
type origin struct {
	name     string
	stranger bool // isRemote, and had not shown the right password when this entry was made
	lane     *lane
	waiting  int // passwords that are being looked at or wait for that
	wrong    history
}

// New makes a limiter for a password. strong: it is, see Strong.
func New(strong bool, clock Clock) *Limiter {
	return &Limiter{clock: clock, strong: strong, overall: newLane(),
		origins: map[string]*list.Element{}, recent: list.New(), known: map[string]time.Time{}}
}

// Attempt is one password of a request.
type Attempt struct {
	Origin string      // as the function of that name gives it
	Again  bool        // one of the same request was wrong before: this one does not count
	Aside  Aside       // where to wait; may be nil
	Right  func() bool // quick: others may wait for it
}

// Try calls a.Right, which looks at the password, when the turn of the origin has come.
// It gives nil if that gives true, and ErrWrong with the origin's record if not. Without
// a look it gives ErrBusy or, if ctx ends before, its error.
func (l *Limiter) Try(ctx context.Context, a Attempt) (Record, error) {
	if l.strong && a.Right() {
		l.forgive(a.Origin)
		return Record{}, nil
	}
	if r, looked, err := l.first(a); looked {
		return r, err
	}
	o := l.take(a.Origin)
	if o == nil {
		return Record{}, ErrBusy
	}
	defer l.giveBack(o)
	leave, err := l.turn(ctx, o, a.Aside)
	if err != nil {
		return Record{}, err
	}
	right := a.Right()
	defer leave(right)
	if right {
		l.forgive(a.Origin)
		return Record{}, nil
	}
	return l.count(o, a.Again), ErrWrong
}

// turn waits until the origin may look. A stranger waits for all strangers besides,
// since an attacker may come from many networks; those of who knew the password do not.
func (l *Limiter) turn(ctx context.Context, o *origin, aside Aside) (leave func(right bool), err error) {
	if err := o.lane.enter(ctx, l.clock, aside); err != nil {
		return nil, err
	}
	if !o.stranger || l.isKnown(o.name) {
		return func(right bool) { o.lane.leave(l.clock, unless(right, pause)) }, nil
	}
	if err := l.overall.enter(ctx, l.clock, aside); err != nil {
		o.lane.leave(l.clock, 0)
		return nil, err
	}
	return func(right bool) {
		l.overall.leave(l.clock, unless(right, overallPause))
		o.lane.leave(l.clock, unless(right, pause))
	}, nil
}

func unless(right bool, pause time.Duration) time.Duration {
	if right {
		return 0
	}
	return pause
}

// Late waits as long as the answer to the nth wrong password of an origin is delayed.
func (l *Limiter) Late(ctx context.Context, n int, aside Aside) error {
	return aside.wait(ctx, func(ctx context.Context) error { return l.clock.Sleep(ctx, Delay(n)) })
}

// Record reports the wrong passwords of an origin so far.
func (l *Limiter) Record(name string) Record {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e := l.origins[name]; e != nil {
		return e.Value.(*origin).wrong.record(l.clock.Now())
	}
	return Record{Left: Allowed}
}

// first looks at a password of an origin without an entry, unless it is a stranger's: no
// pause runs there and no password is queued. If it is wrong, that is counted and the pause begins
// before the lock is given back, whether the one who gave it is still there or not.
func (l *Limiter) first(a Attempt) (r Record, looked bool, err error) {
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
	o.lane.free = now.Add(pause)
	if !a.Again {
		o.wrong.add(now)
	}
	return o.wrong.record(now), true, ErrWrong
}

// take finds or makes the entry of an origin that has a password to be looked at, and gives
// nil if too many wait. Networks that knew the password do not wait with the strangers.
func (l *Limiter) take(name string) *origin {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.origins[name]
	if e == nil {
		e = l.add(name)
	}
	o := e.Value.(*origin)
	if o.waiting >= maxWaiting || o.stranger && l.waiting >= maxWaiting {
		l.drop(e)
		return nil
	}
	l.recent.MoveToFront(e)
	o.waiting++
	if o.stranger {
		l.waiting++
	}
	return o
}

// add makes the entry of an origin.
func (l *Limiter) add(name string) *list.Element {
	l.makeRoom()
	o := &origin{name: name, lane: newLane()}
	_, known := l.known[name]
	o.stranger = isRemote(name) && !known
	e := l.recent.PushFront(o)
	l.origins[name] = e
	return e
}

// makeRoom forgets the origin that was quiet longest and has nothing to wait for. Those
// that wait are fewer than are remembered.
func (l *Limiter) makeRoom() {
	for e := l.recent.Back(); e != nil && l.recent.Len() >= maxWatched; {
		before := e.Prev()
		if e.Value.(*origin).waiting == 0 {
			l.recent.Remove(e)
			delete(l.origins, e.Value.(*origin).name)
		}
		e = before
	}
}

// giveBack ends what take began.
func (l *Limiter) giveBack(o *origin) {
	l.mu.Lock()
	defer l.mu.Unlock()
	o.waiting--
	if o.stranger {
		l.waiting--
	}
	l.drop(l.origins[o.name])
}

// drop forgets an origin of which there is nothing to remember.
func (l *Limiter) drop(e *list.Element) {
	o := e.Value.(*origin)
	if o.waiting == 0 && o.wrong.count == 0 && !o.lane.free.After(l.clock.Now()) {
		l.recent.Remove(e)
		delete(l.origins, o.name)
	}
}

func (l *Limiter) count(o *origin, again bool) Record {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.clock.Now()
	if !again {
		o.wrong.add(now)
	}
	return o.wrong.record(now)
}

// forgive clears an origin from which the right password came.
func (l *Limiter) forgive(name string) {
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

// remember notes that the right password came from an origin that isRemote.
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
