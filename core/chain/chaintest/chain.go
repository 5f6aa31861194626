package chaintest

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/chain"
	"obverse/core/chain/consensus"
	"obverse/core/chain/params"
	"obverse/core/chain/script"
	"obverse/core/chain/wire"
	"obverse/core/store"
	"obverse/core/store/bunt"
)

// Start is the time that Now returns and the time of block 1. The times of later blocks are
// Spacing seconds apart.
const (
	Start   = 1_700_000_000
	Spacing = 60
)

// AnyProducer is a chain.HeaderRules that accepts every header.
type AnyProducer struct{}

// Check returns nil.
func (AnyProducer) Check(*wire.Header, int, []params.Stamp) error { return nil }

// NextBits returns the bits by komodod's rule.
func (AnyProducer) NextBits(before []params.Stamp, p *params.Params) uint32 {
	return p.NextBits(before)
}

// Params returns the parameters of a chain with the given options, such as "ac_name=TOKTEST
// ac_sapling=1".
func Params(t testing.TB, options string) *params.Params {
	t.Helper()
	o := params.Defaults()
	for _, option := range strings.Fields(options) {
		key, value, _ := strings.Cut(option, "=")
		require.NoError(t, o.Set(key, value))
	}
	p, err := params.New(o)
	require.NoError(t, err)
	return p
}

// Chain is a Manager whose blocks are made by the test.
type Chain struct {
	*chain.Manager
	Store store.KV
	t     testing.TB
	keys  []Signer // K1 to K3
	salt  int64    // distinguishes blocks at the same height
}

// New opens the chain in a store.
func New(t testing.TB, kv store.KV, p *params.Params) *Chain {
	t.Helper()
	return WithState(t, kv, p, nil)
}

// WithState is like New, for a chain with a hashed state.
func WithState(t testing.TB, kv store.KV, p *params.Params, state chain.StateTree) *Chain {
	t.Helper()
	m, err := chain.Open(t.Context(), chain.Config{Store: kv, Params: p, HeaderRules: AnyProducer{}, Now: Now,
		Cache: script.NewSigCache(1<<12, nil), State: state})
	require.NoError(t, err)
	return &Chain{Manager: m, Store: kv, t: t, keys: []Signer{Key(t, 1), Key(t, 2), Key(t, 3)}}
}

// InMemory is like New, with an empty in-memory store.
func InMemory(t testing.TB, options string) *Chain {
	t.Helper()
	kv, err := bunt.Open(bunt.Memory)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, kv.Close()) })
	return New(t, kv, Params(t, options))
}

// Now returns the current time of every Chain, which is always Start.
func Now() time.Time { return time.Unix(Start, 0) }

// Tip returns the last block of the chain.
func (c *Chain) Tip() (tip chain.Tip) {
	c.t.Helper()
	require.NoError(c.t, c.Read(c.t.Context(), func(v *chain.View) error {
		tip = v.Tip()
		return nil
	}))
	return tip
}

// Tx returns a signed transaction that is valid in the block after the tip.
func (c *Chain) Tx(from []Coin, outs ...wire.TxOut) *wire.Tx {
	c.t.Helper()
	height := c.Tip().Height + 1
	tx := Spend(c.Params(), height, from, outs...)
	return Sign(c.t, tx, c.Params().BranchID(height), from, c.keys...)
}

// Build returns a block on top of any known parent. Its coinbase pays the subsidy to K1 and
// does not claim the fees.
func (c *Chain) Build(parent wire.Hash, txs ...*wire.Tx) *wire.Block {
	c.t.Helper()
	var above chain.Record
	require.NoError(c.t, c.Read(c.t.Context(), func(v *chain.View) (err error) {
		above, err = v.Record(parent)
		return err
	}))
	b := &wire.Block{Txs: append([]*wire.Tx{c.coinbase(above.Height + 1)}, txs...)}
	b.Header = wire.Header{Version: 4, Prev: parent, SaplingRoot: consensus.EmptySaplingRoot,
		Time: max(Start, above.Time+Spacing), Bits: params.WorkLimitBits}
	ids := make([]wire.Hash, len(b.Txs))
	for i, tx := range b.Txs {
		ids[i] = tx.ID()
	}
	b.MerkleRoot, _ = wire.MerkleRoot(ids)
	return b
}

func (c *Chain) coinbase(height int) *wire.Tx {
	c.salt++
	tx := Spend(c.Params(), height, []Coin{{Out: wire.OutPoint{Index: wire.NullIndex}}},
		Pay(c.keys[0].PubKey(), c.Params().Subsidy(height)))
	tx.Inputs[0].ScriptSig = script.AppendNumber(consensus.HeightPush(height), 1000+c.salt)
	tx.ExpiryHeight = 0
	return tx
}

// Submit submits a block, which must be accepted on the chain or on a side branch.
func (c *Chain) Submit(b *wire.Block) wire.Hash {
	c.t.Helper()
	hash, err := c.Manager.Submit(c.t.Context(), b.Encode())
	if !errors.Is(err, chain.ErrSideBranch) {
		require.NoError(c.t, err)
	}
	return hash
}

// Mine adds a block with these transactions to the tip.
func (c *Chain) Mine(txs ...*wire.Tx) *wire.Block {
	c.t.Helper()
	b := c.Build(c.Tip().Hash, txs...)
	c.Submit(b)
	return b
}
