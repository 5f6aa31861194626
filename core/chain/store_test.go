package chain_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain"
	"obverse/core/chain/chaintest"
	"obverse/core/chain/consensus"
	"obverse/core/chain/wire"
	"obverse/core/store"
	"obverse/core/store/bunt"
)

// unreliable is a store that fails on demand.
type unreliable struct {
	store.KV
	calls  atomic.Int64
	failAt int64 // number of the call that fails, counted from 1 after arm; 0 if no call fails
	lost   error // error of waiting for the disk
}

var errDisk = errors.New("disk on fire")

func (u *unreliable) arm(at int) {
	u.calls.Store(0)
	u.failAt = int64(at)
}

func (u *unreliable) fails() bool { return u.calls.Add(1) == u.failAt }

func (u *unreliable) Get(ctx context.Context, keys ...string) ([]store.Value, error) {
	if u.fails() {
		return nil, errDisk
	}
	return u.KV.Get(ctx, keys...)
}

func (u *unreliable) Scan(ctx context.Context, prefix, after string, limit int) ([]store.Entry, error) {
	if u.fails() {
		return nil, errDisk
	}
	return u.KV.Scan(ctx, prefix, after, limit)
}

func (u *unreliable) Stage(ctx context.Context, b store.Batch) (store.Durable, error) {
	if u.fails() {
		return nil, errDisk
	}
	durable, err := u.KV.Stage(ctx, b)
	if lost := u.lost; lost != nil && err == nil {
		return func(context.Context) error { return lost }, nil
	}
	return durable, err
}

func onUnreliable(t *testing.T) (*chaintest.Chain, *unreliable) {
	t.Helper()
	kv, err := bunt.Open(bunt.Memory)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, kv.Close()) })
	u := &unreliable{KV: kv}
	return chaintest.New(t, u, chaintest.Params(t, options)), u
}

// TestFailingStore makes each call to the store fail in turn, until the work completes without
// reaching the failing call. Failed work must change nothing and mark no block as invalid, and
// the same work must then succeed.
func TestFailingStore(t *testing.T) {
	for name, prepare := range map[string]func(t *testing.T, w *writer) func() error{
		"extend": func(t *testing.T, w *writer) func() error {
			b := w.Build(w.Tip().Hash, w.pay(), w.create("T"))
			return func() error { _, err := w.Manager.Submit(t.Context(), b.Encode()); return err }
		},
		"extend by a bad block": func(t *testing.T, w *writer) func() error {
			from := []chaintest.Coin{w.coin()}
			b := w.Build(w.Tip().Hash, w.Tx(from, chaintest.Pay(w.key(2).PubKey(), 2*coinValue)))
			return func() error {
				_, err := w.Manager.Submit(t.Context(), b.Encode())
				if errors.Is(err, consensus.ErrInBelowOut) {
					return nil // the invalid block was refused, as expected
				}
				return fmt.Errorf("no verdict: %w", err)
			}
		},
		"take back": func(t *testing.T, w *writer) func() error {
			tip := w.Tip().Hash
			return func() error { return w.Invalidate(t.Context(), tip) }
		},
		"audit": func(t *testing.T, w *writer) func() error {
			return func() error {
				_, err := chain.Open(t.Context(), chain.Config{Store: w.Store, Params: w.Params(), HeaderRules: chaintest.AnyProducer{}, Now: chaintest.Now})
				return err
			}
		},
		"read": func(t *testing.T, w *writer) func() error {
			return func() error {
				return w.Read(t.Context(), func(v *chain.View) error {
					drain(v.Unspent(w.key(1).Address()))
					drain(v.History(w.key(1).Address(), 1))
					v.Creation(w.holdings[0].id)
					v.NextBits()
					return v.Err()
				})
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			c, kv := onUnreliable(t)
			w := begin(t, c)
			work := prepare(t, w)
			before, tip := everything(t, kv.KV), c.Tip()
			failures := 0
			for {
				kv.arm(failures + 1)
				err := work()
				kv.arm(0)
				if err == nil {
					break
				}
				require.ErrorIs(t, err, errDisk)
				var verdict *consensus.Rejection
				require.False(t, errors.As(err, &verdict), "%v", err)
				if name == "take back" && c.Tip().Height < tip.Height {
					break // the block was disconnected, and the search for a better branch failed
				}
				require.Equal(t, tip, c.Tip())
				require.Equal(t, before, everything(t, kv.KV))
				failures++
			}
			require.Greater(t, failures, 2)
		})
	}
}

// TestFailingStoreInAReorganisation makes each call fail in turn while the chain switches to a
// better branch. The new block may be stored, but the chain must be entirely the old one or
// entirely the new one.
func TestFailingStoreInAReorganisation(t *testing.T) {
	for at, done := 1, false; !done; at++ {
		c, kv := onUnreliable(t)
		w := begin(t, c)
		fork := c.Tip().Hash
		a, b := w.branch("a"), w.branch("b")
		a.write(fork, 1)
		b.pay()
		b.write(fork, 1)
		last := c.Build(b.blocks[0].Hash())
		onA := indexes(t, kv.KV)
		kv.arm(at)
		_, err := c.Manager.Submit(t.Context(), last.Encode())
		kv.arm(0)
		if done = err == nil; !done {
			require.ErrorIs(t, err, errDisk)
			if c.Tip().Hash == a.blocks[0].Hash() {
				requireSame(t, onA, indexes(t, kv.KV))
			}
		}
		for _, leaf := range c.Leaves() {
			require.False(t, leaf.Record.Failed, "call %d", at)
		}
		require.NoError(t, c.Resume(t.Context()))
		if _, err := c.Manager.Submit(t.Context(), last.Encode()); err != nil {
			require.ErrorIs(t, err, chain.ErrKnownBlock)
		}
		chainB := append(append(w.blocks[:4:4], b.blocks...), last)
		requireSame(t, fresh(t, chainB...), indexes(t, kv.KV))
		require.Less(t, at, 500)
	}
}

// TestLostWait cancels a caller that waits for the disk. The caller receives an error, but the
// data has been written and is used.
func TestLostWait(t *testing.T) {
	lost := fmt.Errorf("waiting: %w", context.Canceled)
	for _, test := range []struct {
		name string
		side bool // whether the side branch was submitted before
		work func(t *testing.T, c *chaintest.Chain, side *wire.Block) error
		then func(t *testing.T, c *chaintest.Chain, side *wire.Block)
	}{
		{"block on the tip", false, func(t *testing.T, c *chaintest.Chain, _ *wire.Block) error {
			_, err := c.Manager.Submit(t.Context(), c.Build(c.Tip().Hash).Encode())
			return err
		}, func(t *testing.T, c *chaintest.Chain, _ *wire.Block) { require.Equal(t, 4, c.Tip().Height) }},
		{"block of a branch", false, func(t *testing.T, c *chaintest.Chain, side *wire.Block) error {
			_, err := c.Manager.Submit(t.Context(), side.Encode())
			return err
		}, func(t *testing.T, c *chaintest.Chain, side *wire.Block) {
			require.Len(t, c.Leaves(), 2, "the branch is known")
			c.Submit(c.Build(side.Hash()))
			require.Equal(t, 4, c.Tip().Height, "and can win")
		}},
		{"refusal of the tip", false, func(t *testing.T, c *chaintest.Chain, _ *wire.Block) error {
			return c.Invalidate(t.Context(), c.Tip().Hash)
		},
			func(t *testing.T, c *chaintest.Chain, _ *wire.Block) {
				require.NoError(t, c.Resume(t.Context()))
				require.Equal(t, 2, c.Tip().Height, "the refusal holds")
			}},
		{"refusal of a branch", true, func(t *testing.T, c *chaintest.Chain, side *wire.Block) error {
			return c.Invalidate(t.Context(), side.Hash())
		}, func(t *testing.T, c *chaintest.Chain, side *wire.Block) {
			_, err := c.Manager.Submit(t.Context(), side.Encode())
			require.ErrorIs(t, err, chain.ErrKnownInvalid)
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			c, kv := onUnreliable(t)
			c.Mine()
			fork := c.Mine().Hash()
			c.Mine()
			side := c.Build(fork)
			if test.side {
				c.Submit(side)
			}
			kv.lost = lost
			require.ErrorIs(t, test.work(t, c, side), context.Canceled)
			kv.lost = nil
			test.then(t, c, side)
		})
	}
}

// TestCancelledCall checks that a block is not marked as invalid because the context has ended.
func TestCancelledCall(t *testing.T) {
	s := newScene(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	b := s.Build(s.Tip().Hash, s.first)
	_, err := s.Manager.Submit(ctx, b.Encode())
	require.ErrorIs(t, err, context.Canceled)
	s.Submit(b)
	require.Equal(t, b.Hash(), s.Tip().Hash)
}
