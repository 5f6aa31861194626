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
	keys   keyCache
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

// NewSigCache makes a cache for about entries signatures, of 32 bytes each.
func NewSigCache(entries int) *SigCache {
	return &SigCache{sets: uint32(max(1, entries/(cacheShards*cacheWays)))}
}

// check answers from the cache or asks verify, remembering a yes.
func (c *SigCache) check(form byte, hash wire.Hash, pub, sig []byte,
	verify func(pub, hash, sig []byte) bool) bool {
	if c == nil {
		return verify(pub, hash[:], sig)
	}
	key := newCacheKey(form, hash, pub, sig)
	if c.has(key) {
		return true
	}
	ok := verify(pub, hash[:], sig)
	if ok {
		c.add(key)
	}
	return ok
}

// parsed is the cache of public keys.
func (c *SigCache) parsed() *keyCache {
	if c == nil {
		return nil
	}
	return &c.keys
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
