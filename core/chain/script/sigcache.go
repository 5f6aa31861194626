package script

import (
	"crypto/sha256"
	"encoding/binary"
	"sync"

	"obverse/core/chain/wire"
)

// Shape of the cache: a signature has one shard and in it one set of slots.
const (
	cacheShards = 64
	cacheWays   = 8

	cacheDER       = 'd' // forms of signature, kept apart: their rules differ
	cacheCondition = 'c'
)

// SigCache remembers valid signatures, so that a block need not verify again what
// the mempool did. It forgets older ones when full. All methods may be used by
// several goroutines, and a nil cache remembers nothing.
type SigCache struct {
	sets   uint32 // of each shard
	shards [cacheShards]cacheShard
	verify ECDSA
}

type cacheShard struct {
	mu   sync.RWMutex
	sets []cacheSet // nil until it remembers something: most nodes verify little
}

// cacheSet is a ring: the next entry replaces the oldest.
type cacheSet struct {
	keys [cacheWays]cacheKey
	next uint8
}

type cacheKey [sha256.Size]byte

// NewSigCache makes a cache for about entries signatures, of 32 bytes each, which verifies those
// that it does not know; nil: as NewECDSA does.
func NewSigCache(entries int, verify ECDSA) *SigCache {
	if verify == nil {
		verify = NewECDSA()
	}
	return &SigCache{sets: uint32(max(1, entries/(cacheShards*cacheWays))), verify: verify}
}

// checkDER answers from the cache or verifies, remembering a yes.
func (c *SigCache) checkDER(hash wire.Hash, pub, der []byte) bool {
	if c == nil {
		return ECDSA((*keyCache)(nil).verify).verifyDER(pub, der, (*[32]byte)(&hash))
	}
	return c.check(cacheDER, hash, pub, der, c.verify.verifyDER)
}

// checkCompact is checkDER for a signature of a condition.
func (c *SigCache) checkCompact(hash wire.Hash, pub, sig []byte) bool {
	if c == nil {
		return ECDSA((*keyCache)(nil).verify).verifyCompact(pub, sig, (*[32]byte)(&hash))
	}
	return c.check(cacheCondition, hash, pub, sig, c.verify.verifyCompact)
}

func (c *SigCache) check(form byte, hash wire.Hash, pub, sig []byte, verify func(pub, sig []byte, hash *[32]byte) bool) bool {
	key := newCacheKey(form, hash, pub, sig)
	if c.has(key) {
		return true
	}
	ok := verify(pub, sig, (*[32]byte)(&hash))
	if ok {
		c.add(key)
	}
	return ok
}

// newCacheKey hashes all that decides a signature. The key's size goes before it,
// so that no byte can move between key and signature.
func newCacheKey(form byte, hash wire.Hash, pub, sig []byte) cacheKey {
	var room [256]byte
	b := append(room[:0], form, byte(len(pub)))
	b = append(append(append(b, hash[:]...), pub...), sig...)
	return sha256.Sum256(b)
}

func (c *SigCache) place(key cacheKey) (*cacheShard, int) {
	return &c.shards[key[0]%cacheShards], int(binary.LittleEndian.Uint32(key[1:]) % c.sets)
}

func (c *SigCache) has(key cacheKey) bool {
	shard, set := c.place(key)
	shard.mu.RLock()
	defer shard.mu.RUnlock()
	return shard.sets != nil && shard.sets[set].has(key)
}

func (c *SigCache) add(key cacheKey) {
	shard, set := c.place(key)
	shard.mu.Lock()
	defer shard.mu.Unlock()
	if shard.sets == nil {
		shard.sets = make([]cacheSet, c.sets)
	}
	shard.sets[set].add(key)
}

func (s *cacheSet) has(key cacheKey) bool {
	for i := range s.keys {
		if s.keys[i] == key {
			return true
		}
	}
	return false
}

func (s *cacheSet) add(key cacheKey) {
	if s.has(key) {
		return // two goroutines verified it at once
	}
	s.keys[s.next] = key
	s.next = (s.next + 1) % cacheWays
}
