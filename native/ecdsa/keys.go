package ecdsa

import (
	"sync"
	"sync/atomic"

	"github.com/btcsuite/btcd/btcec/v2"
)

// Limits of the stored keys: 1 MB, and 32 MiB of tables. A table takes as much time as nine
// verifications, saves this time in sixteen verifications, and is created with the sixteenth signature of a key. If a client
// uses so many keys that they displace each other's tables, a signature takes at most 1.6 times as long as
// without tables, which is still less than btcec needs.
const (
	maxKeys    = 4096
	maxTables  = 32 << 20 / tableSize
	tableSize  = 22 * 32 * 64 // bytes: positions, digits, and a point's two coordinates
	tableAfter = 16           // valid signatures
)

// key is a parsed public key.
type key struct {
	encoded string
	point   affine
	signed  atomic.Int32 // valid signatures since the key was stored, or since it lost its table
	table   atomic.Pointer[table]
	used    [2]atomic.Bool // since the hand of the keys' ring, and of the tables' ring, passed
}

// times returns n times the point of the key.
func (k *key) times(n *btcec.ModNScalar) (sum extended) {
	if t := k.table.Load(); t != nil {
		t.addTo(&sum, n)
		return sum
	}
	product := multiply(&k.point, n)
	sum.set(&product)
	return sum
}

// keys holds the keys of the latest valid signatures. The zero value is empty.
type keys struct {
	mu     sync.RWMutex
	known  map[string]*key
	all    ring
	tabled ring
}

// find returns a stored key, or parses the key; nil if pub is invalid.
func (c *keys) find(pub []byte) *key {
	c.mu.RLock()
	k := c.known[string(pub)]
	c.mu.RUnlock()
	if k != nil {
		for i := range k.used {
			if !k.used[i].Load() {
				k.used[i].Store(true)
			}
		}
		return k
	}
	parsed, err := btcec.ParsePubKey(pub)
	if err != nil {
		return nil
	}
	return &key{encoded: string(pub), point: newAffine(parsed)}
}

// verified counts a valid signature of a key that find returned. Only keys with a valid signature are
// stored, because anyone can send thousands of keys.
func (c *keys) verified(k *key) {
	switch k.signed.Add(1) {
	case 1:
		c.mu.Lock()
		defer c.mu.Unlock()
		c.keep(k)
	case tableAfter:
		t := newTable(&k.point, keyWindow)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.keepTable(k, t)
	}
}

func (c *keys) keep(k *key) {
	if c.known == nil {
		c.known = map[string]*key{}
	}
	if c.known[k.encoded] != nil {
		return // another goroutine was faster, or the key has lost its table
	}
	if old := c.all.add(k, 0, maxKeys); old != nil {
		delete(c.known, old.encoded)
		old.table.Store(nil)
	}
	c.known[k.encoded] = k
}

func (c *keys) keepTable(k *key, t *table) {
	if c.known[k.encoded] != k {
		return
	}
	if old := c.tabled.add(k, 1, maxTables); old != nil && old != k {
		old.table.Store(nil)
		old.signed.Store(0)
	}
	k.table.Store(t)
}

// ring holds a limited number of keys. To replace one, its hand moves on to the first key that was not used
// since the hand last passed.
type ring struct {
	keys []*key
	hand int
}

// add adds k and returns the key that k replaces, or nil. use is the index in key.used for this ring.
func (r *ring) add(k *key, use, limit int) (old *key) {
	if len(r.keys) < limit {
		r.keys = append(r.keys, k)
		return nil
	}
	for r.keys[r.hand].used[use].Swap(false) {
		r.hand = (r.hand + 1) % limit
	}
	old, r.keys[r.hand] = r.keys[r.hand], k
	r.hand = (r.hand + 1) % limit
	return old
}
