package httpd

import "sync"

// slot is the concurrency slot of a running request, which may release it while it waits.
type slot struct {
	gate *gate

	mu        sync.Mutex
	batch     bool // an anonymous client's batch, which needs a slot in gate.batches too
	inBatches bool
	inSlots   bool
}

// acquire waits for a slot. Batches of anonymous clients have few.
func (g *gate) acquire(s *slot, body []byte, anonymous bool) error {
	if g.closing.Load() {
		return errClosing
	}
	s.gate, s.batch = g, anonymous && isBatch(body)
	if s.batch {
		if err := g.batches.acquire(g.limits.Turn, g.ended); err != nil {
			return err
		}
		s.inBatches = true
	}
	if err := g.slots.acquire(g.limits.Turn, g.ended); err != nil {
		s.release()
		return err
	}
	s.inSlots = true
	return nil
}

// release frees the slot. Further calls do nothing.
func (s *slot) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.releaseBatch()
	if s.inSlots {
		s.inSlots = false
		s.gate.slots.release()
	}
}

// markAuthenticated records that the client showed a password.
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

// reacquire waits for a slot after release, or until the server ends and needs none.
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
