package statetree_test

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain/statetree"
)

type hash = statetree.Hash

// reference computes the root by its definition, without a tree: an empty subtree is zero, a
// single leaf is the leaf's hash, and any other subtree is the hash of its halves.
func reference(leaves map[hash]string, depth int) hash {
	switch len(leaves) {
	case 0:
		return hash{}
	case 1:
		for key, value := range leaves {
			return sha256.Sum256(slices.Concat([]byte{0}, key[:], []byte(value)))
		}
	}
	halves := [2]map[hash]string{{}, {}}
	for key, value := range leaves {
		halves[key[depth/8]>>(7-depth%8)&1][key] = value
	}
	left, right := reference(halves[0], depth+1), reference(halves[1], depth+1)
	return sha256.Sum256(slices.Concat([]byte{1}, left[:], right[:]))
}

// near returns a random key. Many of these keys share their first bits.
func near(r *rand.Rand) (key hash) {
	key[0], key[1], key[4] = byte(r.IntN(3)), byte(r.IntN(3)), byte(r.IntN(3))
	return key
}

func put(key hash, value string) statetree.Change {
	return statetree.Change{Leaf: statetree.Leaf{Key: key, Value: value}}
}

func remove(key hash) statetree.Change {
	return statetree.Change{Leaf: statetree.Leaf{Key: key}, Delete: true}
}

// TestRootFollowsFromTheLeaves applies random changes and compares the root with that of the
// resulting leaves by definition. Earlier versions must not change.
func TestRootFollowsFromTheLeaves(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	tree, leaves := statetree.Tree{}, map[hash]string{}
	for step := range 200 {
		changed := map[hash]statetree.Change{}
		for range r.IntN(6) {
			key := near(r)
			if changed[key] = put(key, fmt.Sprint(step)); r.IntN(2) == 0 {
				changed[key] = remove(key)
			}
		}
		var changes []statetree.Change
		for key, c := range changed {
			changes = append(changes, c)
			if leaves[key] = c.Value; c.Delete {
				delete(leaves, key)
			}
		}
		before, root := tree, tree.Root()
		tree = tree.Apply(changes)
		require.Equal(t, reference(leaves, 0), tree.Root(), "step %d", step)
		require.Equal(t, root, before.Root())
	}
	require.NotEmpty(t, leaves)
	require.Equal(t, hash{}, statetree.Tree{}.Root(), "an empty tree")
}

// TestLongestPath uses two keys that differ only in their last bit.
func TestLongestPath(t *testing.T) {
	one, two := hash{0xa5}, hash{0xa5, 31: 1}
	tree := statetree.Tree{}.Apply([]statetree.Change{put(one, "1"), put(two, "2")})
	require.Equal(t, reference(map[hash]string{one: "1", two: "2"}, 0), tree.Root())
	value, ok, err := tree.Prove(two).Verify(tree.Root(), two)
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, "2", value)
	require.Len(t, tree.Prove(two).Siblings, 256)
	require.Equal(t, reference(map[hash]string{two: "2"}, 0), tree.Apply([]statetree.Change{remove(one)}).Root())
}

// TestProofs proves the presence and absence of keys, and checks that a proof for one root is
// refused for another.
func TestProofs(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	leaves := map[hash]string{}
	var changes []statetree.Change
	for i := range 12 {
		key := near(r)
		if _, known := leaves[key]; !known {
			leaves[key] = fmt.Sprint(i)
			changes = append(changes, put(key, leaves[key]))
		}
	}
	tree := statetree.Tree{}.Apply(changes)
	absent := 0
	for range 300 {
		key := near(r)
		value, ok, err := tree.Prove(key).Verify(tree.Root(), key)
		require.NoError(t, err)
		want, known := leaves[key]
		require.Equal(t, known, ok)
		require.Equal(t, want, value)
		if !known {
			absent++
		}
		_, _, err = tree.Prove(key).Verify(tree.Apply([]statetree.Change{put(key, "other")}).Root(), key)
		require.ErrorIs(t, err, statetree.ErrRoot)
	}
	require.Greater(t, absent, 10)
	_, ok, err := statetree.Tree{}.Prove(hash{}).Verify(hash{}, hash{})
	require.NoError(t, err)
	require.False(t, ok, "nothing is in an empty tree")
}

// lies returns copies of a proof that each have one modification.
func lies(p statetree.Proof) map[string]statetree.Proof {
	all := map[string]statetree.Proof{}
	with := func(name string, change func(p *statetree.Proof)) {
		lie := statetree.Proof{Siblings: slices.Clone(p.Siblings)}
		if p.Leaf != nil {
			leaf := *p.Leaf
			lie.Leaf = &leaf
		}
		change(&lie)
		all[name] = lie
	}
	for i := range p.Siblings {
		with(fmt.Sprint("sibling ", i), func(p *statetree.Proof) { p.Siblings[i][31] ^= 1 })
	}
	with("one sibling less", func(p *statetree.Proof) { p.Siblings = p.Siblings[:len(p.Siblings)-1] })
	with("one sibling more", func(p *statetree.Proof) { p.Siblings = append(p.Siblings, hash{}) })
	with("too many siblings", func(p *statetree.Proof) { p.Siblings = make([]hash, 257) })
	if p.Leaf == nil {
		with("a leaf", func(p *statetree.Proof) { p.Leaf = &statetree.Leaf{} })
		return all
	}
	with("no leaf", func(p *statetree.Proof) { p.Leaf = nil })
	with("value", func(p *statetree.Proof) { p.Leaf.Value += "0" })
	with("last bit of the leaf's key", func(p *statetree.Proof) { p.Leaf.Key[31] ^= 1 })
	with("first bit of the leaf's key", func(p *statetree.Proof) { p.Leaf.Key[0] ^= 0x80 })
	return all
}

func TestLiesAreRefused(t *testing.T) {
	var changes []statetree.Change
	for i := range byte(4) { // all keys begin with the bit 0, half of them with 00
		changes = append(changes, put(hash{i << 5}, fmt.Sprint(i)))
	}
	tree := statetree.Tree{}.Apply(changes)
	for name, key := range map[string]hash{"present": {0x20}, "another leaf is there": {0x21}, "nothing is there": {0xff}} {
		for lie, p := range lies(tree.Prove(key)) {
			_, _, err := p.Verify(tree.Root(), key)
			require.Error(t, err, "%s: %s", name, lie)
		}
	}
	other := tree.Prove(hash{0x20})
	_, ok, err := other.Verify(tree.Root(), hash{0x60})
	require.Error(t, err, "the proof of another key")
	require.False(t, ok)
}

func bigTree(n int) statetree.Tree {
	changes := make([]statetree.Change, n)
	for i := range changes {
		changes[i] = put(sha256.Sum256(binary.BigEndian.AppendUint64(nil, uint64(i))), "a coin's record has about a hundred bytes")
	}
	return statetree.Tree{}.Apply(changes)
}

// BenchmarkApply changes eight records, as a transfer of tokens does, and several thousand, as
// a block does.
func BenchmarkApply(b *testing.B) {
	tree := bigTree(200_000)
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		changes := make([]statetree.Change, 8000)
		for i := range changes {
			changes[i] = put(sha256.Sum256(binary.BigEndian.AppendUint64(nil, uint64(1<<32+n*8000+i))), "a coin's record has about a hundred bytes")
		}
		tree = tree.Apply(changes)
	}
}

func BenchmarkBuild(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		bigTree(200_000)
	}
}
