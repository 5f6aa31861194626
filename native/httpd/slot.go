package httpd

import "sync"

// slot is the place of a request at work, which it may leave for a while.
type slot struct {
	gate *gate

	mu        sync.Mutex
	batch     bool // of a client that has shown no password: it needs a place among those too
	inBatches bool
	inSlots   bool
}

// acquire waits for a request's turn to be at work, or says why there is none. A stranger's
// batch has few places.
func (g *gate) acquire(body []byte, stranger bool) (*slot, error) {
	if g.closing.Load() {
		return nil, errClosing
	}
	s := &slot{gate: g, batch: stranger && isBatch(body)}
	if s.batch {
		if err := g.batches.acquire(g.limits.Turn, g.ended); err != nil {
			return nil, err
		}
		s.inBatches = true
	}
	if err := g.slots.acquire(g.limits.Turn, g.ended); err != nil {
		s.release()
		return nil, err
	}
	s.inSlots = true
	return s, nil
}

// release gives the seat back, once or more.
func (s *slot) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.releaseBatch()
	if s.inSlots {
		s.inSlots = false
		s.gate.slots.release()
	}
}

// markAuthenticated says that the client has shown a password.
func (s *slot) markAuthenticated() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.batch = false
	s.releaseBatch()
}

// releaseBatch is called with the lock held.
func (s *slot) releaseBatch() {
	if s.inBatches {
		s.inBatches = false
		s.gate.batches.release()
	}
}

// reacquire waits for a seat after up, or until the server ends: then there need be none.
func (s *slot) reacquire() {
	s.mu.Lock()
	batch := s.batch
	s.mu.Unlock()
	inBatches := batch && s.gate.batches.wait(s.gate.ended)
	inSlots := s.gate.slots.wait(s.gate.ended)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inBatches, s.inSlots = inBatches, inSlots
	if !s.batch {
		s.releaseBatch()
	}
}
