package wire_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain/wire"
)

func smallBlock(solution int) *wire.Block {
	coinbase, spend := transparent(), sapling()
	return &wire.Block{
		Header: wire.Header{
			Version: 4, Prev: filled(1), MerkleRoot: filled(2), SaplingRoot: filled(3),
			Time: 4, Bits: 0x200f0f0f, Nonce: filled(5), Solution: make([]byte, solution),
		},
		Txs: []*wire.Tx{&coinbase, &spend},
	}
}

func TestHeaderSizes(t *testing.T) {
	for solution, size := range map[int]int{0: 141, 36: 177, 64: 205, 252: 393, 253: 396, 1344: 1487} {
		block := smallBlock(solution)
		header := block.Header.Append(nil)
		require.Len(t, header, size)
		require.Equal(t, header[:wire.HeaderSize], block.AppendUnsolved(nil))
		require.Equal(t, wire.HashOf(header), block.Hash())

		r := wire.NewReader(header)
		require.Equal(t, block.Header, wire.ReadHeader(r))
		require.NoError(t, r.End())
	}
}

func TestBlockCutShortAtEveryByte(t *testing.T) {
	raw := smallBlock(36).Encode()
	_, err := wire.DecodeBlock(raw)
	require.NoError(t, err)
	for n := range raw {
		_, err := wire.DecodeBlock(raw[:n])
		require.ErrorIs(t, err, wire.ErrShort, "%d of %d bytes", n, len(raw))
	}
}

func TestBlockCorruptions(t *testing.T) {
	raw := smallBlock(36).Encode()
	const countAt = 177
	tooLong := smallBlock(wire.MaxSolutionSize + 1).Encode()
	for _, c := range []struct {
		name string
		raw  []byte
		want error
	}{
		{"a trailing byte", append(raw[:len(raw):len(raw)], 0), wire.ErrTrailing},
		{"a solution over the limit", tooLong, wire.ErrTooLarge},
		{"a solution size in three bytes", replaced(raw, 140, 1, 0xfd, 36, 0), wire.ErrNotCanonical},
		{"a huge transaction count", replaced(raw, countAt, 1, 0xfe, 0xff, 0xff, 0xff, 0xff), wire.ErrShort},
		{"one transaction too many", replaced(raw, countAt, 1, 3), wire.ErrShort},
		{"one transaction too few", replaced(raw, countAt, 1, 1), wire.ErrTrailing},
		{"more bytes than a block has", append(raw[:len(raw):len(raw)], make([]byte, wire.MaxBlockSize)...), wire.ErrTooLarge},
	} {
		t.Run(c.name, func(t *testing.T) {
			block, spans, err := wire.DecodeBlockSpans(c.raw)
			require.ErrorIs(t, err, c.want)
			require.Nil(t, block)
			require.Nil(t, spans)
		})
	}
}

func leaves(n int) (ids []wire.Hash) {
	for i := range n {
		ids = append(ids, filled(byte(i+1)))
	}
	return ids
}

func pair(a, b wire.Hash) wire.Hash { return wire.HashOf(append(a[:], b[:]...)) }

func TestMerkleRoot(t *testing.T) {
	l := leaves(5)
	ab, cd, ee := pair(l[0], l[1]), pair(l[2], l[3]), pair(l[4], l[4])
	for _, c := range []struct {
		name string
		ids  []wire.Hash
		want wire.Hash
	}{
		{"none", nil, wire.Hash{}},
		{"one", l[:1], l[0]},
		{"two", l[:2], ab},
		{"three", l[:3], pair(ab, pair(l[2], l[2]))},
		{"four", l[:4], pair(ab, cd)},
		{"five", l, pair(pair(ab, cd), pair(ee, ee))},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := append([]wire.Hash(nil), c.ids...)
			root, repeated := wire.MerkleRoot(c.ids)
			require.Equal(t, c.want, root)
			require.False(t, repeated)
			require.Equal(t, before, append([]wire.Hash(nil), c.ids...), "the list is not changed")
		})
	}
}

// TestMerkleRootTellsRepeatedTails checks that a list with a repeated tail, which has the root
// of a shorter list (CVE-2012-2459), is reported.
func TestMerkleRootTellsRepeatedTails(t *testing.T) {
	for _, c := range []struct {
		name string
		n    int // number of transactions in the honest block
		tail int // number of its last transactions that are repeated
	}{
		{"the last of three", 3, 1},
		{"the last two of six", 6, 2},
		{"the last of five", 5, 1},
		{"the last four of twelve", 12, 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			honest := leaves(c.n)
			root, repeated := wire.MerkleRoot(honest)
			require.False(t, repeated)
			forged := append(honest[:c.n:c.n], honest[c.n-c.tail:]...)
			forgedRoot, repeated := wire.MerkleRoot(forged)
			require.Equal(t, root, forgedRoot)
			require.True(t, repeated)
		})
	}
}

// TestMerkleRootIgnoresOtherRepetitions checks that equal transactions in other places are not
// reported. They change the root, so the list is not a forgery of a shorter one, and the rule
// against duplicate inputs refuses them.
func TestMerkleRootIgnoresOtherRepetitions(t *testing.T) {
	l := leaves(2)
	_, repeated := wire.MerkleRoot([]wire.Hash{l[0], l[0], l[1], l[0]})
	require.False(t, repeated)
}
