package relay

import (
	"crypto/sha256"
	"sync"
)

// maxSeen limits how many messages a client remembers.
const maxSeen = 2048

// seen remembers the hashes of the latest messages.
type seen struct {
	mu   sync.Mutex
	has  map[[32]byte]bool
	ring [maxSeen][32]byte
	next int
}

// add records a message and reports whether it is new.
func (s *seen) add(topic, text string) bool {
	sum := sha256.Sum256([]byte(topic + "\x00" + text))
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.has[sum] {
		return false
	}
	if s.has == nil {
		s.has = make(map[[32]byte]bool, maxSeen)
	}
	delete(s.has, s.ring[s.next])
	s.ring[s.next], s.has[sum] = sum, true
	s.next = (s.next + 1) % maxSeen
	return true
}
