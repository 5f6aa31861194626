package mempool_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain"
	"obverse/core/chain/chaintest"
	"obverse/core/chain/consensus"
	"obverse/core/chain/wire"
)

func TestBlockTakesItsTransactions(t *testing.T) {
	n := start(t, sapling)
	parent := n.payment(n.coin())
	child := n.payment(chaintest.Output(parent, 0))
	other := n.payment(n.coin())
	n.mustAccept(parent, other, child)
	n.requirePool(parent, other, child)
	n.Mine(parent)
	n.requirePool(other, child)
	n.Mine(other, child)
	n.requirePool()
}

// TestBlockConflicts mines a transaction that conflicts with one in the pool. The pool must
// drop the conflicting transaction with its children and grandchildren.
func TestBlockConflicts(t *testing.T) {
	n := start(t, sapling)
	coin, second := n.coin(), n.coin()
	loser, stays := n.payment(coin), n.payment(n.coin())
	child := n.payment(chaintest.Output(loser, 0), second)
	grandchild := n.payment(chaintest.Output(child, 0), chaintest.Output(stays, 0))
	n.mustAccept(loser, child, stays, grandchild)
	n.Mine(n.Tx([]chaintest.Coin{coin}, chaintest.Pay(n.key(2).PubKey(), 1000)))
	n.requirePool(stays)
	n.mustAccept(n.payment(second), n.payment(chaintest.Output(stays, 0))) // the dropped transactions no longer spend these outputs
}

// TestDiamond drops a transaction that is both a child and a grandchild of another.
func TestDiamond(t *testing.T) {
	n := start(t, sapling)
	coin := n.coin()
	pay := chaintest.Pay(n.key(1).PubKey(), coinValue/2-100)
	top := n.Tx([]chaintest.Coin{coin}, pay, pay)
	side := n.payment(chaintest.Output(top, 1))
	bottom := n.payment(chaintest.Output(top, 0), chaintest.Output(side, 0))
	n.mustAccept(top, side, bottom)
	n.Mine(n.Tx([]chaintest.Coin{coin}, chaintest.Pay(n.key(2).PubKey(), 1000)))
	n.requirePool()
}

func TestExpiry(t *testing.T) {
	n := start(t, sapling)
	expiring := func(height uint32) *wire.Tx {
		return resigned(func(tx *wire.Tx) { tx.ExpiryHeight = height })(n)
	}
	three, four := expiring(3), expiring(4)
	child := n.payment(chaintest.Output(four, 0))
	n.mustAccept(three, four, child)
	n.Mine()
	n.requirePool(three, four, child)
	require.ErrorIs(t, n.accept(expiring(3)), consensus.ErrExpired, "no block can hold it any more")
	n.Mine()
	n.requirePool(four, child)
	n.Mine()
	n.requirePool()
}

// TestUpgrades passes both activation heights with transactions in the previous format.
func TestUpgrades(t *testing.T) {
	n := start(t, options+"ac_overwinter=4 ac_sapling=6")
	for _, format := range []string{"legacy", "overwinter"} {
		tx := n.payment(n.coin())
		n.mustAccept(tx)
		n.requirePool(tx)
		n.Mine()
		n.requirePool()
		require.Error(t, n.accept(tx), format)
		n.Mine()
	}
	n.mustAccept(n.payment(n.coin()))
}

// reorganise replaces the blocks starting at a height by empty ones, and adds one more.
func (n *node) reorganise(from int, txs ...*wire.Tx) {
	n.t.Helper()
	var parent wire.Hash
	n.look(func(v *chain.View) { parent, _ = v.HashAt(from - 1) })
	for range n.Tip().Height - from + 2 {
		parent = n.Submit(n.Build(parent, txs...))
		txs = nil
	}
	require.Equal(n.t, parent, n.Tip().Hash)
}

func TestReorganisation(t *testing.T) {
	n := start(t, sapling)
	first, second, third := n.payment(n.coin()), n.payment(n.coin()), n.payment(n.coin())
	child := n.payment(chaintest.Output(first, 0))
	grandchild := n.payment(chaintest.Output(child, 0))
	n.Mine(first, second)
	n.Mine(child)
	n.mustAccept(third, grandchild)
	n.reorganise(3)
	n.requirePool(first, second, child, third, grandchild)
	n.look(func(*chain.View) {
		for _, e := range n.pool.Entries() {
			require.Equal(t, n.Tip().Height, e.Height)
			require.Equal(t, int64(100), e.Fee)
		}
	})
	n.Mine(first, second, child, third, grandchild)
	n.requirePool()
}

func TestReorganisationToTheSameTransactions(t *testing.T) {
	n := start(t, sapling)
	tx, child := n.payment(n.coin()), &wire.Tx{}
	child = n.payment(chaintest.Output(tx, 0))
	n.Mine(tx)
	n.mustAccept(child)
	n.reorganise(3, tx)
	n.requirePool(child)
}

func TestReorganisationConflicts(t *testing.T) {
	n := start(t, sapling)
	coin := n.coin()
	loser := n.payment(coin)
	child := n.payment(chaintest.Output(loser, 0))
	n.Mine(loser)
	n.mustAccept(child)
	n.reorganise(3, n.Tx([]chaintest.Coin{coin}, chaintest.Pay(n.key(2).PubKey(), 1000)))
	n.requirePool()
}

// TestReorganisationDropsCoinbases drops a branch. One transaction in the pool spends its
// coinbase alone, another spends it together with a coin that remains.
func TestReorganisationDropsCoinbases(t *testing.T) {
	n := start(t, sapling)
	minted := chaintest.Output(n.Mine().Txs[0], 0)
	mined := n.payment(minted, n.coin())
	n.Mine(mined)
	waiting := n.payment(chaintest.Output(mined, 0))
	stays := n.payment(n.coin())
	n.mustAccept(waiting, stays)
	n.reorganise(3)
	n.requirePool(stays)
}

// TestReorganisationMakesImmature switches to a branch on which a coinbase is immature.
func TestReorganisationMakesImmature(t *testing.T) {
	n := startOnMaturity(t)
	young := chaintest.Output(n.Mine().Txs[0], 0) // height 14
	for range 9 {
		n.Mine()
	}
	spend := n.payment(young)
	n.mustAccept(spend)
	n.requirePool(spend)
	require.NoError(t, n.Invalidate(t.Context(), n.Tip().Hash))
	n.requirePool()
}

func startOnMaturity(t *testing.T) *node {
	c := chaintest.InMemory(t, sapling+" ac_cbmaturity=10")
	n := open(t, c.Store, sapling+" ac_cbmaturity=10", noLimits)
	premine := chaintest.Output(n.Mine().Txs[0], 0)
	for range 11 {
		n.Mine()
	}
	n.Mine(n.payment(premine))
	return n
}

// TestInvalidateAndReconsider invalidates a block and reconsiders it, as in the recorded calls.
func TestInvalidateAndReconsider(t *testing.T) {
	n := start(t, sapling)
	tx, other := n.payment(n.coin()), n.payment(n.coin())
	n.Mine(tx)
	dropped := n.Tip().Hash
	n.mustAccept(other)
	require.NoError(t, n.Invalidate(t.Context(), dropped))
	n.requirePool(tx, other)
	require.NoError(t, n.Reconsider(t.Context(), dropped))
	n.requirePool(other)
}

func TestSpentTokensFollowTheChain(t *testing.T) {
	n := start(t, sapling)
	creation := n.Tx([]chaintest.Coin{n.coin()}, chaintest.Creation(n.key(1), "T", 1000, 900_000)...)
	id := creation.ID()
	n.Mine(creation)
	transfer := n.Tx([]chaintest.Coin{chaintest.Output(creation, 1), n.coin()}, chaintest.Pay(n.key(2).Tokens(), 700),
		chaintest.Pay(n.key(1).Tokens(), 300), chaintest.Pay(n.key(1).PubKey(), coinValue-100), chaintest.Transfer(id, n.key(2)))
	n.mustAccept(transfer)
	requireSpentTokens(t, n, id, 1000, 0)
	back := n.Tx([]chaintest.Coin{chaintest.Output(transfer, 0), n.coin()}, chaintest.Pay(n.key(1).Tokens(), 700),
		chaintest.Pay(n.key(1).PubKey(), coinValue-100), chaintest.Transfer(id, n.key(1)))
	n.mustAccept(back)
	requireSpentTokens(t, n, id, 1000, 0)
	n.Mine(transfer)
	requireSpentTokens(t, n, id, 0, 700)
	n.reorganise(4)
	n.requirePool(transfer, back)
	requireSpentTokens(t, n, id, 1000, 0)
	n.reorganise(3)
	n.requirePool(creation, transfer, back)
	requireSpentTokens(t, n, id, 0, 0)
	n.Mine(creation, transfer, back)
	n.requirePool()
	requireSpentTokens(t, n, id, 0, 0)
}
