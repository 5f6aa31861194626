package ecdsa

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"obverse/core/chain/script"
)

var _ script.ECDSA = New().Verify

func TestTableFits(t *testing.T) {
	g := &generator{Rand: rand.New(rand.NewPCG(5, 6))}
	p := newAffine(g.fresh().point)
	made := newTable(&p, keyWindow)
	require.Equal(t, tableSize, len(made.points)*int(unsafe.Sizeof(p)))
	require.LessOrEqual(t, maxTables*tableSize, 32<<20)
}

// TestKeysOfOthers verifies with more keys than the cache holds. A key that is used all the time
// must stay in the cache.
func TestKeysOfOthers(t *testing.T) {
	var c keys
	use := func(i uint32) *key {
		name := string(binary.BigEndian.AppendUint32(nil, i))
		k := c.find([]byte(name))
		if k == nil {
			k = &key{encoded: name}
		}
		c.verified(k)
		return k
	}
	for range tableAfter {
		use(0)
	}
	for i := range uint32(3 * maxKeys) {
		use(1 + i)
		require.NotNil(t, use(0).table.Load())
	}
	require.Len(t, c.known, maxKeys)
	require.Len(t, c.all.keys, maxKeys)
}

// TestTablesOfOthers verifies often with more keys than there are tables.
func TestTablesOfOthers(t *testing.T) {
	var c keys
	small := new(table)
	add := func(i uint32) *key {
		k := &key{encoded: string(binary.BigEndian.AppendUint32(nil, i))}
		k.signed.Store(1)
		c.keep(k)
		k.signed.Store(tableAfter)
		c.keepTable(k, small)
		return k
	}
	often := add(0)
	var all []*key
	for i := range uint32(3 * maxTables) {
		all = append(all, add(1+i))
		c.find([]byte(often.encoded))
		require.NotNil(t, often.table.Load(), "a key in use keeps its table")
	}
	tables := 1
	for _, k := range all {
		if k.table.Load() != nil {
			tables++
		} else {
			require.Zero(t, k.signed.Load(), "one that lost its table has to earn it once more")
		}
	}
	require.Equal(t, maxTables, tables)
}

// TestKeysThatSignedNothing checks that a key is cached only after a valid signature.
func TestKeysThatSignedNothing(t *testing.T) {
	g := &generator{Rand: rand.New(rand.NewPCG(7, 8))}
	v := New()
	c := g.sign(g.fresh(), g.scalar(), g.drawn())
	c.hash[5]++
	require.False(t, v.Verify(c.pub, &c.hash, &c.r, &c.s))
	require.Empty(t, v.keys.known)
	c.hash[5]--
	for i := range 2 * tableAfter {
		require.True(t, v.Verify(c.pub, &c.hash, &c.r, &c.s))
		require.Equal(t, i+1 >= tableAfter, v.keys.find(c.pub).table.Load() != nil)
	}
	require.Len(t, v.keys.known, 1)
}

// BenchmarkVerify compares with btcec: a new key, a cached key, a key with a table, and the cost of
// a table.
func BenchmarkVerify(b *testing.B) {
	g := &generator{Rand: rand.New(rand.NewPCG(9, 10))}
	c := g.sign(g.fresh(), g.scalar(), g.drawn())
	v, reference := New(), script.NewECDSA()
	require.True(b, v.Verify(c.pub, &c.hash, &c.r, &c.s))
	b.Run("btcec", func(b *testing.B) {
		for b.Loop() {
			reference(c.pub, &c.hash, &c.r, &c.s)
		}
	})
	b.Run("new key", func(b *testing.B) {
		for b.Loop() {
			v.keys = keys{}
			v.Verify(c.pub, &c.hash, &c.r, &c.s)
		}
	})
	b.Run("known key", func(b *testing.B) {
		k := &key{point: v.keys.find(c.pub).point}
		for b.Loop() {
			v.verify(k, &c.hash, &c.r, &c.s)
		}
	})
	b.Run("key with a table", func(b *testing.B) {
		for b.Loop() {
			v.Verify(c.pub, &c.hash, &c.r, &c.s)
		}
	})
	b.Run("making a table", func(b *testing.B) {
		p := v.keys.find(c.pub).point
		for b.Loop() {
			newTable(&p, keyWindow)
		}
	})
}
