package chain_test

import (
	"context"
	"encoding/binary"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain"
	"obverse/core/chain/chaintest"
	"obverse/core/chain/consensus"
	"obverse/core/chain/params"
	"obverse/core/chain/wire"
	"obverse/core/store"
)

// witness is a follower that records its calls in order.
type witness struct {
	t       *testing.T
	name    string
	calls   *[]string
	manager *chain.Manager
	changes []*chain.Change
}

func (w *witness) Prepare(c *chain.Change) []store.Op {
	*w.calls = append(*w.calls, w.name+" prepares")
	w.changes = append(w.changes, c)
	return []store.Op{{Key: "i" + w.name, Data: c.Tip.Hash.String()}}
}

func (w *witness) Changed(v *chain.View, c *chain.Change) {
	*w.calls = append(*w.calls, w.name+" changes")
	require.Equal(w.t, c.Tip, v.Tip())
	at, err := v.HashAt(c.Tip.Height)
	require.NoError(w.t, err)
	require.Equal(w.t, c.Tip.Hash, at)
}

func (w *witness) Settled(ctx context.Context, c *chain.Change) {
	*w.calls = append(*w.calls, w.name+" settles")
	require.NoError(w.t, w.manager.Read(ctx, func(v *chain.View) error { // readers are no longer blocked
		require.Equal(w.t, c.Tip, v.Tip())
		return nil
	}))
}

func hashes(blocks []*wire.Block) (list []wire.Hash) {
	for _, b := range blocks {
		list = append(list, b.Hash())
	}
	return list
}

// TestFollowers checks that a follower receives each change once, regardless of the number of
// blocks in the change.
func TestFollowers(t *testing.T) {
	c, kv := onUnreliable(t)
	var calls []string
	first := &witness{t, "first", &calls, c.Manager, nil}
	second := &witness{t, "second", &calls, c.Manager, nil}
	c.Follow(first)
	c.Follow(second)
	order := []string{"first prepares", "second prepares", "first changes", "second changes", "first settles", "second settles"}
	var tips []wire.Hash
	step := func(off, on []*wire.Block) {
		t.Helper()
		require.Equal(t, order, calls)
		calls = nil
		last := first.changes[len(first.changes)-1]
		require.Same(t, last, second.changes[len(second.changes)-1])
		require.Equal(t, hashes(off), hashes(last.Disconnected))
		require.Equal(t, hashes(on), hashes(last.Connected))
		require.Equal(t, c.Tip(), last.Tip)
		stored, err := kv.Get(t.Context(), "ifirst", "isecond")
		require.NoError(t, err)
		want := store.Value{Data: last.Tip.Hash.String(), Present: true}
		require.Equal(t, []store.Value{want, want}, stored, "what they gave is in the same batch")
		tips = append(tips, last.Tip.Hash)
	}
	fork := c.Mine()
	step(nil, []*wire.Block{fork})
	a1 := c.Mine()
	step(nil, []*wire.Block{a1})
	a2 := c.Mine()
	step(nil, []*wire.Block{a2})

	b1 := c.Build(fork.Hash())
	c.Submit(b1)
	b2 := c.Build(b1.Hash())
	c.Submit(b2)
	_, err := c.Manager.Submit(t.Context(), a1.Encode())
	require.ErrorIs(t, err, chain.ErrKnownBlock)
	bad := c.Build(c.Tip().Hash)
	bad.Version = 3
	_, err = c.Manager.Submit(t.Context(), bad.Encode())
	require.ErrorIs(t, err, consensus.ErrBlockVersion)
	require.Empty(t, calls, "the chain has not changed")

	b3 := c.Build(b2.Hash())
	c.Submit(b3)
	step([]*wire.Block{a2, a1}, []*wire.Block{b1, b2, b3})
	require.NoError(t, c.Invalidate(t.Context(), b3.Hash()))
	back := order
	order = slices.Concat(back, back) // the first change leaves the refused block, the second returns to the first branch
	step([]*wire.Block{b2, b1}, []*wire.Block{a1, a2})
	require.Len(t, tips, 5)

	kv.arm(1 << 30)
	kv.lost = context.Canceled
	order = back
	next := c.Build(c.Tip().Hash)
	_, err = c.Manager.Submit(t.Context(), next.Encode())
	require.ErrorIs(t, err, context.Canceled)
	step(nil, []*wire.Block{next})
}

// TestUpdate writes additional records in the same transaction as the chain's data.
func TestUpdate(t *testing.T) {
	c := chaintest.InMemory(t, options)
	require.NoError(t, c.Update(t.Context(), func(v *chain.View) error {
		var b store.Batch
		b.Put("iown", v.Tip().Hash.String())
		durable, err := v.Stage(b)
		if err != nil {
			return err
		}
		return durable(t.Context())
	}))
	stored, err := c.Store.Get(t.Context(), "iown")
	require.NoError(t, err)
	require.Equal(t, c.Tip().Hash.String(), stored[0].Data)
	require.ErrorIs(t, c.Update(t.Context(), func(*chain.View) error { return chain.ErrNotFound }), chain.ErrNotFound)
}

// strict is a Seal that records its calls and refuses one nonce.
type strict struct {
	chaintest.AnyProducer
	heights *[]int
	before  *[][]params.Stamp
}

var errNonce = &consensus.Rejection{Code: consensus.RejectInvalid, Reason: "nonce"}

func (s strict) Check(h *wire.Header, height int, before []params.Stamp) error {
	*s.heights = append(*s.heights, height)
	*s.before = append(*s.before, before)
	if h.Nonce[0] == 13 {
		return errNonce
	}
	return nil
}

// TestSeal checks that a block is passed to the seal before any other check, together with the
// blocks before it, on every branch.
func TestSeal(t *testing.T) {
	c := chaintest.InMemory(t, options)
	var heights []int
	var before [][]params.Stamp
	m, err := chain.Open(t.Context(), chain.Config{Store: c.Store, Params: c.Params(), HeaderRules: strict{heights: &heights, before: &before}, Now: chaintest.Now})
	require.NoError(t, err)
	c.Manager = m
	for range params.WorkWindow + 3 {
		c.Mine()
	}
	for i, stamps := range before {
		require.Equal(t, i+1, heights[i])
		require.Len(t, stamps, min(i+1, params.WorkWindow))
		if i > 0 {
			require.EqualValues(t, chaintest.Start+(i-1)*chaintest.Spacing, stamps[len(stamps)-1].Time, "the parent is last")
		}
	}
	require.NoError(t, c.Read(t.Context(), func(v *chain.View) error {
		require.Equal(t, c.Params().NextBits(before[len(before)-1]), v.NextBits())
		return v.Err()
	}))

	state := everything(t, c.Store)
	for name, parent := range map[string]wire.Hash{"on the tip": c.Tip().Hash, "in a branch": firstBlock(t, c)} {
		b := c.Build(parent)
		b.Nonce[0], b.Version = 13, 3
		_, err := c.Manager.Submit(t.Context(), b.Encode())
		require.ErrorIs(t, err, errNonce, name)
	}
	require.Equal(t, state, everything(t, c.Store))
}

func firstBlock(t *testing.T, c *chaintest.Chain) (hash wire.Hash) {
	require.NoError(t, c.Read(t.Context(), func(v *chain.View) (err error) {
		hash, err = v.HashAt(1)
		return err
	}))
	return hash
}

// TestManyBranches starts with more branches than fit into one page of a scan.
func TestManyBranches(t *testing.T) {
	c := chaintest.InMemory(t, options)
	fork := c.Mine().Hash()
	c.Mine()
	side := c.Submit(c.Build(fork))
	record := everything(t, c.Store)["h"+string(side[:])]
	var b store.Batch
	for i := range 1002 {
		hash := string(binary.BigEndian.AppendUint64(make([]byte, 24), uint64(i)))
		b.Put("h"+hash, record)
		b.Put("x"+hash, "")
	}
	require.NoError(t, store.Apply(t.Context(), c.Store, b))
	again := chaintest.New(t, c.Store, c.Params())
	require.Equal(t, c.Tip(), again.Tip())
	require.Len(t, again.Leaves(), 1004)
	require.NoError(t, again.Resume(t.Context()))
	top := again.Build(again.Tip().Hash)
	again.Submit(top)
	require.Equal(t, top.Hash(), again.Tip().Hash)
}
