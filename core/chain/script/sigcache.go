package script

import (
	"crypto/sha256"
	"encoding/binary"
	"sync"

	"github.com/btcsuite/btcd/btcec/v2"

	"obverse/core/chain/wire"
)

// Dimensions of the cache. Each signature belongs to one shard, and in it to one set of slots.
const (
	cacheShards = 64
	cacheWays   = 8

	cacheDER       = 'd' // forms of signatures, which have separate entries because their rules differ
	cacheCondition = 'c'
)

// SigCache caches valid signatures, so that connecting a block need not verify the signatures
// that the mempool has already verified. When it is full, new signatures replace older ones.
// Its methods are safe for concurrent use. A nil cache stores nothing.
type SigCache struct {
	sets   uint32 // number of sets in each shard
	shards [cacheShards]cacheShard
	verify ECDSA
}

type cacheShard struct {
	mu   sync.RWMutex
	sets []cacheSet // nil until the first entry, since most nodes verify few signatures
}

// cacheSet is a ring buffer: the next entry replaces the oldest.
type cacheSet struct {
	keys [cacheWays]cacheKey
	next uint8
}

type cacheKey [sha256.Size]byte

// NewSigCache returns a cache for about the given number of signatures, at 32 bytes each. It
// calls verify for signatures that it does not contain. If verify is nil, it uses NewECDSA.
func NewSigCache(entries int, verify ECDSA) *SigCache {
	if verify == nil {
		verify = NewECDSA()
	}
	return &SigCache{sets: uint32(max(1, entries/(cacheShards*cacheWays))), verify: verify}
}

// checkDER looks up a signature in the cache or verifies it. It caches the signature if it is
// valid.
func (c *SigCache) checkDER(hash wire.Hash, pub, der []byte) bool {
	if c == nil {
		return ECDSA((*keyCache)(nil).verify).verifyDER(pub, der, (*[32]byte)(&hash))
	}
	return c.check(cacheDER, hash, pub, der, c.verify.verifyDER)
}

// checkCompact is like checkDER, for the signature of a condition.
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

// newCacheKey hashes all data on which the validity of a signature depends. The size of the key
// is included, so that different divisions of the same bytes into key and signature have
// different hashes.
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
		return // two goroutines verified it concurrently
	}
	s.keys[s.next] = key
	s.next = (s.next + 1) % cacheWays
}

// cachedKeys limits the number of keys in a keyCache, and its memory to about 1 MB.
const cachedKeys = 4096

// keyCache caches parsed public keys. Parsing a compressed key requires a square root, which
// takes a tenth of the time of verifying a signature, and one key often signs all inputs of a
// transaction, or thousands of transactions. The zero value is an empty cache. A nil cache
// stores nothing.
type keyCache struct {
	mu   sync.RWMutex
	keys map[string]*btcec.PublicKey // immutable keys
}

// parse is like btcec.ParsePubKey, but returns nil for an invalid key.
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

// add adds a key. If the cache is full, it is cleared first, and keys in frequent use are soon
// added again.
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
