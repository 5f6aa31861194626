package script

import (
	"sync"

	"github.com/btcsuite/btcd/btcec/v2"
)

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
