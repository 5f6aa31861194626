package chain_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain"
	"obverse/core/chain/chaintest"
	"obverse/core/chain/wire"
	"obverse/core/store/bunt"
)

// onFile opens the chain stored in a file. The function shut closes the file.
func onFile(t *testing.T, path string) (c *chaintest.Chain, shut func()) {
	t.Helper()
	kv, err := bunt.Open(path)
	require.NoError(t, err)
	return chaintest.New(t, kv, chaintest.Params(t, options)), func() { require.NoError(t, kv.Close()) }
}

func TestRestart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "chain.db")
	c, shut := onFile(t, path)
	base := begin(t, c)
	fork := c.Tip().Hash
	a, b := base.branch("a"), base.branch("b")
	a.write(fork, 3)
	b.pay()
	b.write(fork, 2)
	refused := c.Build(fork)
	c.Submit(refused)
	require.NoError(t, c.Invalidate(t.Context(), refused.Hash()))
	tip, state := c.Tip(), indexes(t, c.Store)
	shut()

	c, shut = onFile(t, path)
	defer shut()
	require.Equal(t, tip, c.Tip())
	requireSame(t, state, indexes(t, c.Store))
	var leaves []wire.Hash
	for _, leaf := range c.Leaves() {
		leaves = append(leaves, leaf.Hash)
		require.Equal(t, leaf.Hash == refused.Hash(), leaf.Record.Failed)
	}
	require.ElementsMatch(t, []wire.Hash{a.blocks[2].Hash(), b.blocks[1].Hash(), refused.Hash()}, leaves)

	_, err := c.Manager.Submit(t.Context(), refused.Encode())
	require.ErrorIs(t, err, chain.ErrKnownInvalid)
	rival := c.Build(b.blocks[1].Hash())
	_, err = c.Manager.Submit(t.Context(), rival.Encode())
	require.ErrorIs(t, err, chain.ErrSideBranch, "what was seen first is known after a restart")
	c.Submit(c.Build(rival.Hash()))
	require.Equal(t, tip.Height+1, c.Tip().Height)
}

// TestKilledDuringAReorganisation checks that a node that is killed during a change restarts
// with the state before or after the change, and no other. It cuts the store's file at many
// offsets within a reorganisation, and opens it.
func TestKilledDuringAReorganisation(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "chain.db")
	c, shut := onFile(t, path)
	defer shut()
	base := begin(t, c)
	fork := c.Tip().Hash
	a, b := base.branch("a"), base.branch("b")
	a.write(fork, 3)
	b.pay()
	b.write(fork, 3)
	onA := indexes(t, c.Store)
	before, err := os.ReadFile(path)
	require.NoError(t, err)
	b.write(b.blocks[2].Hash(), 1)
	onB := indexes(t, c.Store)
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Greater(t, len(after), len(before))
	const head = 3 << 12 // the head records the synced length, which is not updated until the change has been synced
	copy(after[:head], before)

	seen := map[wire.Hash]bool{}
	for _, size := range cuts(len(before), len(after), 40) {
		cut := filepath.Join(dir, "cut.db")
		// The head of the file records the synced part, which does not include the change yet.
		require.NoError(t, os.WriteFile(cut, slices.Concat(before, after[len(before):size]), 0o600))
		killed, shut := onFile(t, cut)
		tip := killed.Tip().Hash
		seen[tip] = true
		if tip == a.blocks[2].Hash() {
			requireSame(t, onA, indexes(t, killed.Store))
		} else {
			require.Equal(t, b.blocks[3].Hash(), tip)
			requireSame(t, onB, indexes(t, killed.Store))
		}
		catchUp(t, killed, b.blocks[3], onB)
		shut()
	}
	require.Len(t, seen, 2, "both sides of the change were met")
}

// cuts returns at most n distinct lengths, evenly spaced from one to another, inclusive.
func cuts(from, to, n int) (sizes []int) {
	for i := range n {
		sizes = append(sizes, from+(to-from)*i/(n-1))
	}
	return slices.Compact(sizes)
}

// catchUp submits the last block of the better branch again after the node was killed. The node
// may have stored that block without connecting it.
func catchUp(t *testing.T, c *chaintest.Chain, last *wire.Block, want map[string]string) {
	t.Helper()
	require.NoError(t, c.Resume(t.Context()))
	if _, err := c.Manager.Submit(t.Context(), last.Encode()); err != nil {
		require.ErrorIs(t, err, chain.ErrKnownBlock)
	}
	require.Equal(t, last.Hash(), c.Tip().Hash)
	requireSame(t, want, indexes(t, c.Store))
}
