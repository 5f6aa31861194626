package httpd

import "sync"

// seat is the place of a request at work, which it may leave for a while.
type seat struct {
	gate  *gate
	batch bool // of a client that has shown no password

	mu     sync.Mutex
	leave  func()
	proven func()
}

// sit waits for a request's turn, see gate.enter.
func (g *gate) sit(body []byte, stranger bool) (*seat, error) {
	leave, proven, err := g.enter(body, stranger)
	return &seat{gate: g, batch: stranger && isBatch(body), leave: leave, proven: proven}, err
}

// up gives the seat back, once or more.
func (s *seat) up() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.leave()
}

// prove says that the client has shown a password.
func (s *seat) prove() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.batch = false
	s.proven()
}

// again waits for a seat after up, or until the server ends: then there need be none.
func (s *seat) again() {
	s.mu.Lock()
	batch := s.batch
	s.mu.Unlock()
	leave, proven := func() {}, func() {}
	if batch {
		proven = s.gate.batches.take(s.gate.ended)
	}
	leave = s.gate.slots.take(s.gate.ended)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.leave, s.proven = func() { proven(); leave() }, proven
	if batch && !s.batch {
		proven()
	}
}

// take waits for its turn without end, but for the server's.
func (t turnstile) take(ended <-chan struct{}) (leave func()) {
	select {
	case t <- struct{}{}:
		return sync.OnceFunc(func() { <-t })
	case <-ended:
		return func() {}
	}
}
