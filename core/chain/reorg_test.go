package chain_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain"
	"obverse/core/chain/chaintest"
	"obverse/core/chain/consensus"
	"obverse/core/chain/script"
	"obverse/core/chain/token"
	"obverse/core/chain/wire"
	"obverse/core/store"
)

const options = "ac_name=TOKTEST ac_supply=1000 ac_reward=100000000 ac_cc=2 ac_sapling=1"

// Tables of the store as package chain names them: the tables that reflect the chain, and the
// tables that store every block ever received.
const (
	following = "ntcsapvkloqwgjze"
	keeping   = "ibhux"
)

// indexes returns every record that reflects the chain.
func indexes(t *testing.T, kv store.KV) map[string]string {
	t.Helper()
	all := map[string]string{}
	after := ""
	for {
		page, err := kv.Scan(t.Context(), "", after, 500)
		require.NoError(t, err)
		if len(page) == 0 {
			return all
		}
		for _, entry := range page {
			after = entry.Key
			if table := entry.Key[:1]; strings.Contains(following, table) {
				all[entry.Key] = entry.Data
			} else {
				require.Contains(t, keeping, table, "a table that no test of reorganisations knows")
			}
		}
	}
}

// requireSame requires that two states contain the same keys and values.
func requireSame(t *testing.T, want, got map[string]string) {
	t.Helper()
	var differ []string
	for key, data := range want {
		if found, ok := got[key]; !ok || found != data {
			differ = append(differ, fmt.Sprintf("%q: want %x, got %x %v", key, data, found, ok))
		}
	}
	for key := range got {
		if _, ok := want[key]; !ok {
			differ = append(differ, fmt.Sprintf("%q: not wanted", key))
		}
	}
	slices.Sort(differ)
	require.Empty(t, differ[:min(len(differ), 10)])
}

// writer makes the blocks of one branch. The blocks contain transactions of every kind that is
// indexed.
type writer struct {
	*chaintest.Chain
	t        testing.TB
	name     string
	coins    []chaintest.Coin // unspent coins of K1
	holdings []holding
	blocks   []*wire.Block
}

// holding is an output with tokens of K1.
type holding struct {
	id wire.Hash
	chaintest.Coin
}

const coinValue = 1_000_000

// begin mines the premine, splits it into coins and creates a token.
func begin(t testing.TB, c *chaintest.Chain) *writer {
	w := &writer{Chain: c, t: t, name: "base"}
	premine := c.Mine()
	outs := make([]wire.TxOut, 60)
	for i := range outs {
		outs[i] = chaintest.Pay(w.key(1).PubKey(), coinValue)
	}
	split := c.Tx([]chaintest.Coin{chaintest.Output(premine.Txs[0], 0)}, outs...)
	for i := range outs {
		w.coins = append(w.coins, chaintest.Output(split, i))
	}
	w.blocks = []*wire.Block{premine, c.Mine(split), c.Mine(w.create("BASE")), c.Mine()}
	return w
}

func (w *writer) key(n int) chaintest.Signer { return chaintest.Key(w.t, n) }

// branch returns a writer that continues from here with the same coins.
func (w *writer) branch(name string) *writer {
	b := *w
	b.name, b.coins, b.holdings, b.blocks = name, slices.Clone(w.coins), slices.Clone(w.holdings), nil
	return &b
}

func (w *writer) coin() chaintest.Coin {
	c := w.coins[0]
	w.coins = w.coins[1:]
	return c
}

// oldMarker is the plain address of the module's key.
const oldMarker = "RCNgAngYAdrfzujYyPgfbjCGNVQZzCgTad"

// create returns a transaction that creates a token and has outputs of every other form.
func (w *writer) create(name string) *wire.Tx {
	outs := chaintest.Creation(w.key(1), name, 1000, 400_000)
	payload := outs[len(outs)-1]
	marker, err := script.ParseAddress(oldMarker)
	require.NoError(w.t, err)
	k1, k2 := w.key(1).PublicKey(), w.key(2).PublicKey()
	multisig := chaintest.MultiSig(1, k1[:], k2[:], k1[:])
	outs = append(outs[:len(outs)-1],
		chaintest.Pay(marker.PkScript(), 10_000),
		chaintest.Pay(multisig, 7),
		chaintest.Pay(script.PayToScriptHash(script.Hash160(multisig)), 8),
		chaintest.Pay([]byte{script.Op1}, 9),
		payload)
	tx := w.Tx([]chaintest.Coin{w.coin()}, outs...)
	w.holdings = append(w.holdings, holding{tx.ID(), chaintest.Output(tx, 1)})
	w.coins = append(w.coins, chaintest.Output(tx, 2))
	return tx
}

// transfer sends tokens of the oldest holding: some to K2, some to the unspendable burn key,
// and the rest back to K1.
func (w *writer) transfer() *wire.Tx {
	h := w.holdings[0]
	burned := script.PayToCondition(token.Condition([]byte{token.Eval}, token.BurnKey()).Condition())
	payload := token.Payload{Func: token.Transfer, TokenID: h.id, Keys: []token.Key{w.key(2).Token(), token.BurnKey()}}
	tx := w.Tx([]chaintest.Coin{h.Coin, w.coin()},
		chaintest.Pay(w.key(2).Tokens(), 5), chaintest.Pay(burned, 2), chaintest.Pay(w.key(1).Tokens(), h.Value-7),
		chaintest.Pay(payload.Script(), 0))
	w.holdings = append(w.holdings[1:], holding{h.id, chaintest.Output(tx, 2)})
	return tx
}

// pay spends a coin. It pays to the same address twice, and has a data output.
func (w *writer) pay() *wire.Tx {
	tx := w.Tx([]chaintest.Coin{w.coin()},
		chaintest.Pay(w.key(1).PubKey(), 300_000), chaintest.Pay(w.key(1).PubKeyHash(), 300_000),
		chaintest.Pay(script.NullData([]byte(w.name)), 11), chaintest.Pay(w.key(3).PubKey(), 0))
	w.coins = append(w.coins, chaintest.Output(tx, 0), chaintest.Output(tx, 1))
	return tx
}

// write adds n blocks on top of a parent, which need not be in the chain.
func (w *writer) write(parent wire.Hash, n int) {
	for i := range n {
		var txs []*wire.Tx
		switch i % 4 {
		case 0:
			txs = append(txs, w.create(w.name+fmt.Sprint(i)))
		case 1:
			txs = append(txs, w.transfer(), w.pay())
		case 2:
			txs = append(txs, w.create("X"), w.pay(), w.pay())
			w.holdings = append(w.holdings[len(w.holdings)-1:], w.holdings[:len(w.holdings)-1]...)
			txs = append(txs, w.transfer()) // transfers the token created in this block
		}
		b := w.Build(parent, txs...)
		w.Submit(b)
		w.blocks = append(w.blocks, b)
		parent = b.Hash()
	}
}

// fresh returns the state of a new node that has received only these blocks.
func fresh(t *testing.T, blocks ...*wire.Block) map[string]string {
	t.Helper()
	c := chaintest.InMemory(t, options)
	for _, b := range blocks {
		c.Submit(b)
	}
	require.Equal(t, blocks[len(blocks)-1].Hash(), c.Tip().Hash)
	return indexes(t, c.Store)
}

func TestReorganisationRestoresEveryIndex(t *testing.T) {
	const depth = 10
	c := chaintest.InMemory(t, options)
	base := begin(t, c)
	fork := c.Tip().Hash

	a := base.branch("a")
	a.write(fork, depth)
	require.Equal(t, a.blocks[depth-1].Hash(), c.Tip().Hash)
	onA := indexes(t, c.Store)
	for _, table := range following {
		has := slices.ContainsFunc(slices.Collect(maps.Keys(onA)), func(key string) bool { return key[0] == byte(table) })
		require.True(t, has, "table %q is empty, so nothing is tested of it", table)
	}

	b := base.branch("b")
	b.pay() // makes the branches spend different coins
	b.write(fork, depth)
	require.Equal(t, a.blocks[depth-1].Hash(), c.Tip().Hash, "an equal branch came later")
	requireSame(t, onA, indexes(t, c.Store))

	b.write(b.blocks[depth-1].Hash(), 1)
	require.Equal(t, b.blocks[depth].Hash(), c.Tip().Hash)
	onB := indexes(t, c.Store)
	requireSame(t, fresh(t, append(slices.Clone(base.blocks), b.blocks...)...), onB)

	require.NoError(t, c.Invalidate(t.Context(), b.blocks[0].Hash()))
	require.Equal(t, a.blocks[depth-1].Hash(), c.Tip().Hash)
	requireSame(t, onA, indexes(t, c.Store))
	requireSame(t, fresh(t, append(slices.Clone(base.blocks), a.blocks...)...), onA)

	require.NoError(t, c.Reconsider(t.Context(), b.blocks[0].Hash()))
	requireSame(t, onB, indexes(t, c.Store))
}

// TestEveryHeightIsRestored disconnects all blocks one by one, and compares the state at every
// height, down to genesis.
func TestEveryHeightIsRestored(t *testing.T) {
	c := chaintest.InMemory(t, options)
	base := begin(t, c)
	a := base.branch("a")
	a.write(c.Tip().Hash, 8)
	blocks := append(slices.Clone(base.blocks), a.blocks...)
	for height := len(blocks); height > 0; height-- {
		requireSame(t, fresh(t, blocks[:height]...), indexes(t, c.Store))
		require.NoError(t, c.Invalidate(t.Context(), blocks[height-1].Hash()))
		require.Equal(t, height-1, c.Tip().Height)
	}
	requireSame(t, indexes(t, chaintest.InMemory(t, options).Store), indexes(t, c.Store))
	require.NoError(t, c.Reconsider(t.Context(), blocks[0].Hash()))
	requireSame(t, fresh(t, blocks...), indexes(t, c.Store))
}

// TestInvalidateBelowTheTip invalidates a block of the chain. Its descendants become invalid
// with it, and the next best branch becomes the chain.
func TestInvalidateBelowTheTip(t *testing.T) {
	c := chaintest.InMemory(t, options)
	var blocks []*wire.Block
	for range 5 {
		blocks = append(blocks, c.Mine())
	}
	side := c.Build(blocks[1].Hash())
	c.Submit(side)

	require.NoError(t, c.Invalidate(t.Context(), blocks[3].Hash()))
	require.Equal(t, blocks[2].Hash(), c.Tip().Hash, "as much work as the side branch, and seen first")
	require.NoError(t, c.Invalidate(t.Context(), blocks[2].Hash()))
	require.Equal(t, side.Hash(), c.Tip().Hash)
	require.NoError(t, c.Invalidate(t.Context(), blocks[0].Hash()))
	require.Equal(t, 0, c.Tip().Height)

	require.NoError(t, c.Reconsider(t.Context(), blocks[4].Hash()))
	require.Equal(t, blocks[4].Hash(), c.Tip().Hash)

	require.ErrorIs(t, c.Invalidate(t.Context(), wire.Hash{1}), chain.ErrUnknownBlock)
	require.ErrorIs(t, c.Reconsider(t.Context(), wire.Hash{1}), chain.ErrUnknownBlock)
	_, genesis := c.Params().Genesis()
	require.ErrorIs(t, c.Invalidate(t.Context(), genesis), chain.ErrGenesis)
}

func TestEqualWork(t *testing.T) {
	c := chaintest.InMemory(t, options)
	fork := c.Mine().Hash()
	first, second := c.Build(fork), c.Build(fork)
	c.Submit(first)
	_, err := c.Manager.Submit(t.Context(), second.Encode())
	require.ErrorIs(t, err, chain.ErrSideBranch)
	require.Equal(t, first.Hash(), c.Tip().Hash)
	require.Len(t, c.Leaves(), 2)

	above := c.Build(second.Hash())
	c.Submit(above)
	require.Equal(t, above.Hash(), c.Tip().Hash)
	rival := c.Build(first.Hash())
	_, err = c.Manager.Submit(t.Context(), rival.Encode())
	require.ErrorIs(t, err, chain.ErrSideBranch, "the tip stays where it is")
	require.Equal(t, above.Hash(), c.Tip().Hash)
}

// TestFailedBlockInABranch submits a branch with more work that contains an invalid block. The
// chain must leave the branch again, with all indexes restored.
func TestFailedBlockInABranch(t *testing.T) {
	c := chaintest.InMemory(t, options)
	base := begin(t, c)
	fork := c.Tip().Hash
	a := base.branch("a")
	a.write(fork, 2)
	onA := indexes(t, c.Store)

	good := c.Build(fork)
	nothing := chaintest.Coin{Out: wire.OutPoint{Hash: wire.Hash{1}}, TxOut: chaintest.Pay(base.key(1).PubKey(), 1000)}
	c.Submit(good)
	bad := c.Build(good.Hash(), c.Tx([]chaintest.Coin{nothing}, chaintest.Pay(base.key(1).PubKey(), 500)))
	_, err := c.Manager.Submit(t.Context(), bad.Encode())
	require.ErrorIs(t, err, chain.ErrSideBranch, "its inputs were never validated")
	above := c.Build(bad.Hash())
	_, err = c.Manager.Submit(t.Context(), above.Encode())
	require.ErrorIs(t, err, chain.ErrSideBranch)
	require.Equal(t, a.blocks[1].Hash(), c.Tip().Hash)
	requireSame(t, onA, indexes(t, c.Store))

	_, err = c.Manager.Submit(t.Context(), bad.Encode())
	require.ErrorIs(t, err, chain.ErrKnownInvalid)
	_, err = c.Manager.Submit(t.Context(), c.Build(above.Hash()).Encode())
	require.ErrorIs(t, err, chain.ErrBadParent)

	// The valid part of the branch can still become the chain, if no invalid block follows it.
	other := c.Build(good.Hash())
	_, err = c.Manager.Submit(t.Context(), other.Encode())
	require.ErrorIs(t, err, chain.ErrSideBranch)
	greedy := c.Build(other.Hash())
	greedy.Txs[0].Outputs[0].Value++
	greedy.MerkleRoot, _ = wire.MerkleRoot([]wire.Hash{greedy.Txs[0].ID()})
	_, err = c.Manager.Submit(t.Context(), greedy.Encode())
	require.ErrorIs(t, err, consensus.ErrCoinbaseAmount)
	_, err = c.Manager.Submit(t.Context(), greedy.Encode())
	require.ErrorIs(t, err, chain.ErrKnownInvalid)
	requireSame(t, onA, indexes(t, c.Store))
	last := c.Build(other.Hash())
	c.Submit(last)
	require.Equal(t, last.Hash(), c.Tip().Hash)
}

func TestSubmitRefuses(t *testing.T) {
	c := chaintest.InMemory(t, options)
	c.Mine()
	tip := c.Mine()
	remake := func(b *wire.Block) { b.MerkleRoot, _ = wire.MerkleRoot([]wire.Hash{b.Txs[0].ID()}) }
	for _, test := range []struct {
		name    string
		corrupt func(*wire.Block)
		want    error
	}{
		{"unknown parent", func(b *wire.Block) { b.Prev[0] ^= 1 }, chain.ErrUnknownParent},
		{"version", func(b *wire.Block) { b.Version = 3 }, consensus.ErrBlockVersion},
		{"time", func(b *wire.Block) { b.Time = chaintest.Start }, consensus.ErrTimeTooOld},
		{"merkle root", func(b *wire.Block) { b.MerkleRoot[0] ^= 1 }, consensus.ErrMerkleRoot},
		{"no coinbase", func(b *wire.Block) { b.Txs[0].Inputs[0].PrevOut.Index = 0; remake(b) }, consensus.ErrNoCoinbase},
		{"height in the coinbase", func(b *wire.Block) { b.Txs[0].Inputs[0].ScriptSig[0]++; remake(b) }, consensus.ErrCoinbaseHeight},
		{"value of the coinbase", func(b *wire.Block) { b.Txs[0].Outputs[0].Value++; remake(b) }, consensus.ErrCoinbaseAmount},
		{"shielded root", func(b *wire.Block) { b.SaplingRoot[0] ^= 1 }, consensus.ErrSaplingRoot},
	} {
		t.Run(test.name, func(t *testing.T) {
			before := indexes(t, c.Store)
			b := c.Build(tip.Hash())
			test.corrupt(b)
			_, err := c.Manager.Submit(t.Context(), b.Encode())
			require.ErrorIs(t, err, test.want)
			requireSame(t, before, indexes(t, c.Store))
			require.Len(t, c.Leaves(), 1)
		})
	}
	_, err := c.Manager.Submit(t.Context(), tip.Encode())
	require.ErrorIs(t, err, chain.ErrKnownBlock)
	hard := c.Build(tip.Hash())
	hard.Bits = 0x01010000 // a target of 1
	c.Submit(hard)
	harder := c.Build(hard.Hash())
	harder.Bits = hard.Bits
	_, err = c.Manager.Submit(t.Context(), harder.Encode())
	require.ErrorIs(t, err, consensus.ErrBits, "the work of a branch has 256 bits")
	_, err = c.Manager.Submit(t.Context(), tip.Encode()[1:])
	require.Error(t, err)
	require.False(t, errors.Is(err, chain.ErrKnownBlock))
}

func isSide(err error) bool { return errors.Is(err, chain.ErrSideBranch) }
