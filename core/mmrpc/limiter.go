package mmrpc

import (
	"container/list"
	"net/netip"
	"sync"
	"time"
)

// Bounds of wrong passwords.
const (
	maxWrong    = 10               // within wrongWindow; the next answer is Banned
	wrongWindow = 10 * time.Minute // after which a wrong password is forgotten
	maxWatched  = 4096             // sources remembered at a time
	sourceBits  = 64               // of an IPv6 address: what one customer has
)

// limiter counts wrong passwords by where they come from. Of a flood from more than
// maxWatched sources it forgets those that were quiet longest.
type limiter struct {
	now func() time.Time

	mu      sync.Mutex
	sources map[string]*list.Element // of *source
	recent  *list.List               // the one that erred last comes first
}

// source is where wrong passwords came from, and when, the oldest first.
type source struct {
	name  string
	wrong []time.Time // at most maxWrong
}

func newLimiter(now func() time.Time) *limiter {
	return &limiter{now: now, sources: map[string]*list.Element{}, recent: list.New()}
}

// wait says how long the address is banned; zero: it is not.
func (l *limiter) wait(address string) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.waitOf(l.sources[sourceOf(address)])
}

func (l *limiter) waitOf(e *list.Element) time.Duration {
	if e == nil {
		return 0
	}
	wrong := e.Value.(*source).wrong
	if len(wrong) < maxWrong {
		return 0
	}
	return max(0, wrongWindow-l.now().Sub(wrong[0]))
}

// verdict is what comes of one password.
type verdict struct {
	wait time.Duration // more than zero: banned, right or wrong
	left int           // if not banned and wrong: attempts that are left
}

// try counts one password. That it looks and counts in one step keeps passwords that
// arrive together from being more than maxWrong guesses.
func (l *limiter) try(address string, right bool) verdict {
	l.mu.Lock()
	defer l.mu.Unlock()
	name := sourceOf(address)
	e := l.sources[name]
	if wait := l.waitOf(e); wait > 0 {
		return verdict{wait: wait}
	}
	if right {
		if e != nil {
			l.forget(e)
		}
		return verdict{}
	}
	if e == nil {
		if l.recent.Len() >= maxWatched {
			l.forget(l.recent.Back())
		}
		e = l.recent.PushFront(&source{name: name})
		l.sources[name] = e
	}
	l.recent.MoveToFront(e)
	return verdict{left: maxWrong - e.Value.(*source).add(l.now())}
}

// add notes a wrong password, drops those that are too old and counts the rest.
func (s *source) add(now time.Time) int {
	for len(s.wrong) > 0 && now.Sub(s.wrong[0]) >= wrongWindow {
		s.wrong = s.wrong[1:]
	}
	s.wrong = append(s.wrong, now)
	return len(s.wrong)
}

func (l *limiter) forget(e *list.Element) {
	delete(l.sources, e.Value.(*source).name)
	l.recent.Remove(e)
}

// sourceOf names what is counted together: an IPv4 address, an IPv6 network, and
// this machine once for each.
func sourceOf(address string) string {
	a, err := netip.ParseAddr(address)
	if err != nil {
		return address
	}
	a = a.Unmap().WithZone("")
	switch {
	case a.IsLoopback() && a.Is4():
		return "127.0.0.1"
	case a.Is4(), a.IsLoopback():
		return a.String()
	}
	network, err := a.Prefix(sourceBits)
	if err != nil {
		return address
	}
	return network.String()
}
