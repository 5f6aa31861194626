package ecdsa

import (
	"sync"
	"sync/atomic"

	"github.com/btcsuite/btcd/btcec/v2"
)

// Limits of the stored keys: 1 MB, and 32 MiB of tables. A table costs as much as verifying
// nine signatures, saves that in sixteen, and is made with the sixteenth of a key. So a client
// whose keys displace each other's tables makes a signature cost at most 1.6 times as much as
// without tables, which is still less than btcec needs.
const (
	maxKeys    = 4096
	maxTables  = 32 << 20 / tableSize
	tableSize  = 22 * 32 * 64 // bytes: positions, digits, and a point's two coordinates
	tableAfter = 16           // valid signatures
)

// key is a public key that was parsed.
type key struct {
	encoded string
	point   affine
	signed  atomic.Int32 // valid signatures since it is kept, or since it lost its table
	table   atomic.Pointer[table]
	used    [2]atomic.Bool // since the hand of keys, and of tables, passed
}

// times returns n times the key's point.
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

// find returns a key that is kept, or one that it parses; nil is no key.
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

// verified counts a valid signature of a key that find returned. Keys without one are not
// kept, since anybody can name thousands of them.
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
		return // another goroutine was faster, or it has lost its table
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

// ring holds keys, of which a hand that goes round takes out the first one that was not used
// since it passed the last time.
type ring struct {
	keys []*key
	hand int
}

// add returns the key whose place k takes, or nil. use is the index of the ring's own marks.
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
