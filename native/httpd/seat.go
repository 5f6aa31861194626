package httpd

import "sync"

// seat is the place of a request at work, which it may leave for a while.
type seat struct {
	gate *gate

	mu        sync.Mutex
	batch     bool // of a client that has shown no password: it needs a place among those too
	inBatches bool
	inSlots   bool
}

// sit waits for a request's turn to be at work, or says why there is none. A stranger's
// batch has few places.
func (g *gate) sit(body []byte, stranger bool) (*seat, error) {
	if g.closing.Load() {
		return nil, errClosing
	}
	s := &seat{gate: g, batch: stranger && isBatch(body)}
	if s.batch {
		if err := g.batches.pass(g.limits.Turn, g.ended); err != nil {
			return nil, err
		}
		s.inBatches = true
	}
	if err := g.slots.pass(g.limits.Turn, g.ended); err != nil {
		s.up()
		return nil, err
	}
	s.inSlots = true
	return s, nil
}

// up gives the seat back, once or more.
func (s *seat) up() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.leaveBatches()
	if s.inSlots {
		s.inSlots = false
		s.gate.slots.leave()
	}
}

// prove says that the client has shown a password.
func (s *seat) prove() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.batch = false
	s.leaveBatches()
}

// leaveBatches is called with the lock held.
func (s *seat) leaveBatches() {
	if s.inBatches {
		s.inBatches = false
		s.gate.batches.leave()
	}
}

// again waits for a seat after up, or until the server ends: then there need be none.
func (s *seat) again() {
	s.mu.Lock()
	batch := s.batch
	s.mu.Unlock()
	inBatches := batch && s.gate.batches.take(s.gate.ended)
	inSlots := s.gate.slots.take(s.gate.ended)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inBatches, s.inSlots = inBatches, inSlots
	if !s.batch {
		s.leaveBatches()
	}
}
