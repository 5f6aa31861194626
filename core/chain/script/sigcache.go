package script

import (
	"crypto/sha256"
	"encoding/binary"
	"sync"

	"github.com/btcsuite/btcd/btcec/v2"

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

// cachedKeys bounds a keyCache, to about 1 MB.
const cachedKeys = 4096

// keyCache remembers public keys that were parsed. A compressed one costs a square
// root, a tenth of what its signature costs, and one key often signs all inputs of a
// transaction, or thousands of transactions. Its zero value is empty; a nil one
// remembers nothing.
type keyCache struct {
	mu   sync.RWMutex
	keys map[string]*btcec.PublicKey // never changed once they are here
}

// parse is btcec.ParsePubKey; a key that is no point is nil.
func (c *keyCache) parse(pub []byte) *btcec.PublicKey {
	if key := c.find(pub); key != nil {
		return key
	}
	key, err := btcec.ParsePubKey(pub)
	if err != nil {
		return nil
	}
	c.add(pub, key)
	return key
}

func (c *keyCache) find(pub []byte) *btcec.PublicKey {
	if c == nil {
		return nil
	}
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.keys[string(pub)]
}

// add clears the cache when it is full: keys in frequent use soon return.
func (c *keyCache) add(pub []byte, key *btcec.PublicKey) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.keys == nil || len(c.keys) >= cachedKeys {
		c.keys = make(map[string]*btcec.PublicKey)
	}
	c.keys[string(pub)] = key
}
