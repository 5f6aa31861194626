package script

import (
	"bytes"
	"sync"
	"testing"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/stretchr/testify/require"
)

// point is the public key of a small secret.
func point(i int) []byte {
	_, key := btcec.PrivKeyFromBytes(append(numbered(i), 1))
	return key.SerializeCompressed()
}

func TestKeyCache(t *testing.T) {
	c := new(keyCache)
	pub := point(1)
	key := c.parse(pub)
	require.Equal(t, pub, key.SerializeCompressed())
	require.Same(t, key, c.parse(bytes.Clone(pub)))

	long := key.SerializeUncompressed()
	require.True(t, key.IsEqual(c.parse(long)))
	require.NotSame(t, key, c.parse(long), "forms of a key are kept apart")

	off := bytes.Clone(pub)
	for c.parse(off) != nil { // about half of all x are of no point
		off[32]++
	}
	require.Nil(t, c.parse(off))
	require.Nil(t, c.parse(nil))

	var none *keyCache
	require.Equal(t, pub, none.parse(pub).SerializeCompressed())
}

func TestKeyCacheIsBounded(t *testing.T) {
	c, key := new(keyCache), new(btcec.PublicKey)
	for i := range 3 * cachedKeys {
		c.add(numbered(i), key)
		require.NotNil(t, c.find(numbered(i)), "the newest is always there")
		require.LessOrEqual(t, len(c.keys), cachedKeys)
	}
}

func TestKeyCacheFromManyGoroutines(t *testing.T) {
	c := new(keyCache)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for i := range 50 {
				if pub := point(i); !bytes.Equal(pub, c.parse(pub).SerializeCompressed()) {
					t.Errorf("key %d", i)
				}
			}
		})
	}
	group.Wait()
}
