package script

import (
	"bytes"
	"encoding/binary"
	"sync"
	"testing"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/stretchr/testify/require"

	"obverse/core/chain/wire"
)

func numbered(i int) []byte { return binary.LittleEndian.AppendUint32(nil, uint32(i)) }

func TestSigCacheKeepsOnlyValid(t *testing.T) {
	c, calls, valid := NewSigCache(1000, nil), 0, false
	verify := func(_, _ []byte, _ *[32]byte) bool { calls++; return valid }
	require.False(t, c.check(cacheDER, wire.Hash{1}, []byte("key"), []byte("sig"), verify))
	valid = true
	require.True(t, c.check(cacheDER, wire.Hash{1}, []byte("key"), []byte("sig"), verify))
	require.Equal(t, 2, calls, "a wrong signature is not remembered")
	valid = false
	require.True(t, c.check(cacheDER, wire.Hash{1}, []byte("key"), []byte("sig"), verify))
	require.Equal(t, 2, calls, "a valid one is")
}

// TestSigCacheAsksTheVerifierItHas checks that the cache calls its verifier once for each form
// of signature.
func TestSigCacheAsksTheVerifierItHas(t *testing.T) {
	calls, verdict := 0, true
	c := NewSigCache(1000, func(pub []byte, hash, r, s *[32]byte) bool {
		calls++
		require.Equal(t, pubKey(1), pub)
		require.Equal(t, [32]byte{31: 1}, *r)
		require.Equal(t, [32]byte{31: 2}, *s)
		return verdict
	})
	compact := append(append(make([]byte, 31), 1), append(make([]byte, 31), 2)...)
	for range 2 {
		require.True(t, c.checkDER(wire.Hash{1}, pubKey(1), derOf([]byte{1}, []byte{2}, 1)))
		require.True(t, c.checkCompact(wire.Hash{1}, pubKey(1), compact))
	}
	require.Equal(t, 2, calls)
	verdict = false
	require.False(t, c.checkDER(wire.Hash{2}, pubKey(1), derOf([]byte{1}, []byte{2}, 1)))
	require.False(t, c.checkCompact(wire.Hash{2}, pubKey(1), compact))
	require.Equal(t, 4, calls)
	for i := range compact[32:] {
		compact[32+i] = 0x80
	}
	require.False(t, c.checkCompact(wire.Hash{3}, pubKey(1), compact), "high s")
	require.False(t, c.checkCompact(wire.Hash{3}, pubKey(1), compact[1:]), "short")
	require.False(t, c.checkCompact(wire.Hash{3}, append([]byte{4}, make([]byte, 64)...), compact), "long key")
	require.Equal(t, 4, calls)
}

func TestSigCacheTellsApart(t *testing.T) {
	c := NewSigCache(1000, nil)
	accept, no := func(_, _ []byte, _ *[32]byte) bool { return true }, func(_, _ []byte, _ *[32]byte) bool { return false }
	require.True(t, c.check(cacheDER, wire.Hash{1}, []byte("key"), []byte("sig"), accept))
	require.False(t, c.check(cacheCondition, wire.Hash{1}, []byte("key"), []byte("sig"), no))
	require.False(t, c.check(cacheDER, wire.Hash{2}, []byte("key"), []byte("sig"), no))
	require.False(t, c.check(cacheDER, wire.Hash{1}, []byte("kex"), []byte("sig"), no))
	require.False(t, c.check(cacheDER, wire.Hash{1}, []byte("key"), []byte("six"), no))
	require.False(t, c.check(cacheDER, wire.Hash{1}, []byte("keys"), []byte("ig"), no))
}

func TestSigCacheIsBounded(t *testing.T) {
	const entries, added = 1024, 20_000
	c := NewSigCache(entries, nil)
	key := func(i int) cacheKey { return newCacheKey(cacheDER, wire.Hash{}, nil, numbered(i)) }
	for i := range added {
		c.add(key(i))
		require.True(t, c.has(key(i)), "the newest is always there")
	}
	cached := 0
	for i := range added {
		if c.has(key(i)) {
			cached++
		}
	}
	require.LessOrEqual(t, cached, entries)
	require.Greater(t, cached, entries*9/10)
	c.add(key(added - 1))
	require.True(t, c.has(key(added-1)))
}

func TestSigCacheFromManyGoroutines(t *testing.T) {
	c := NewSigCache(100, nil)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for i := range 500 {
				odd := i%2 == 1
				verify := func(_, _ []byte, _ *[32]byte) bool { return odd }
				if c.check(cacheDER, wire.Hash{}, nil, numbered(i), verify) != odd {
					t.Errorf("signature %d", i)
				}
			}
		})
	}
	group.Wait()
}

func TestSigHashesFromManyGoroutines(t *testing.T) {
	s := spending()
	pk := PayToPubKey(pubKey(1))
	s.setScriptSig(PushData(s.sign(t, 1, pk, SigHashAll)))
	s.Hashes, s.Cache = NewSigHashes(s.Tx), NewSigCache(10, nil)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			spend := *s
			if err := spend.Verify(pk, StandardFlags); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
}

func TestCachedSpendStillChecksTheRest(t *testing.T) {
	s := spending()
	pk := PayToPubKey(pubKey(1))
	sig := s.sign(t, 1, pk, SigHashAll)
	s.Cache = NewSigCache(10, nil)
	s.setScriptSig(PushData(highS(sig)))
	require.NoError(t, s.Verify(pk, BlockFlags))
	require.ErrorIs(t, s.Verify(pk, StandardFlags), ErrSigHighS, "flags are not remembered")
	s.Amount--
	require.ErrorIs(t, s.Verify(pk, BlockFlags), ErrEvalFalse)
}

// point returns the public key of a small secret.
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
	for c.parse(off) != nil { // about half of all x coordinates are not on the curve
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
