package mempool_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain"
	"obverse/core/chain/chaintest"
	"obverse/core/chain/consensus"
	"obverse/core/chain/mempool"
	"obverse/core/chain/script"
	"obverse/core/chain/token"
	"obverse/core/chain/wire"
)

func TestAcceptAgain(t *testing.T) {
	n := start(t, sapling)
	tx := n.payment(n.coin())
	n.mustAccept(tx, tx)
	id, err := n.pool.Accept(t.Context(), append(tx.Encode(), 1, 2, 3), false)
	require.NoError(t, err)
	require.Equal(t, tx.ID(), id)
	n.requirePool(tx)
}

func TestTrailingBytesAreDropped(t *testing.T) {
	n := start(t, sapling)
	tx := n.payment(n.coin())
	_, err := n.pool.Accept(t.Context(), append(tx.Encode(), make([]byte, 1000)...), false)
	require.NoError(t, err)
	n.requirePool(tx)
	n.look(func(*chain.View) {
		e, ok := n.pool.Entry(tx.ID())
		require.True(t, ok)
		require.Equal(t, tx.Encode(), e.Raw)
		require.Less(t, cap(e.Raw), 1000)
	})
}

// verdictCase describes a transaction that is refused.
type verdictCase struct {
	name    string
	make    func(n *node) *wire.Tx
	code    int
	message string
	verdict error
}

func rejection(name string, verdict *consensus.Rejection, build func(n *node) *wire.Tx) verdictCase {
	return verdictCase{name, build, mempool.CodeRejected, verdict.Error(), verdict}
}

// resigned returns a function that changes a payment and signs it again.
func resigned(change func(tx *wire.Tx)) func(n *node) *wire.Tx {
	return func(n *node) *wire.Tx {
		from := []chaintest.Coin{n.coin()}
		tx := n.payment(from...)
		change(tx)
		return chaintest.Sign(n.t, tx, n.Params().BranchID(n.Tip().Height+1), from, n.key(1))
	}
}

var verdictCases = []verdictCase{
	rejection("no outputs", consensus.ErrNoOutputs, resigned(func(tx *wire.Tx) { tx.Outputs = nil })),
	rejection("shielded", consensus.ErrShielded, resigned(func(tx *wire.Tx) { tx.ValueBalance = 1 })),
	rejection("expired", consensus.ErrExpired, resigned(func(tx *wire.Tx) { tx.ExpiryHeight = 2 })),
	rejection("coinbase", mempool.ErrCoinbase, func(n *node) *wire.Tx {
		return n.Build(n.Tip().Hash).Txs[0]
	}),
	rejection("not final by height", mempool.ErrNonFinal, resigned(func(tx *wire.Tx) {
		tx.LockTime, tx.Inputs[0].Sequence = 3, 0
	})),
	rejection("not final by time", mempool.ErrNonFinal, resigned(func(tx *wire.Tx) {
		tx.LockTime, tx.Inputs[0].Sequence = chaintest.Start+chaintest.Spacing, 0
	})),
	rejection("spent in the pool", mempool.ErrConflict, func(n *node) *wire.Tx {
		coin := n.coin()
		n.mustAccept(n.payment(coin))
		return n.Tx([]chaintest.Coin{n.coin(), coin}, chaintest.Pay(n.key(2).PubKey(), 10_000))
	}),
	{"unknown transaction", resigned(func(tx *wire.Tx) { tx.Inputs[0].PrevOut.Hash[0]++ }),
		mempool.CodeFailed, "Missing inputs", mempool.ErrMissingInputs},
	rejection("unknown output of a transaction in the chain", mempool.ErrInputsSpent,
		resigned(func(tx *wire.Tx) { tx.Inputs[0].PrevOut.Index = 1000 })),
	rejection("unknown output of a transaction in the pool", mempool.ErrInputsSpent, func(n *node) *wire.Tx {
		parent := n.payment(n.coin())
		n.mustAccept(parent)
		coin := chaintest.Output(parent, 0)
		coin.Out.Index = 1
		return n.payment(coin)
	}),
	rejection("data output of a transaction in the pool", mempool.ErrInputsSpent, func(n *node) *wire.Tx {
		parent := n.Tx([]chaintest.Coin{n.coin()}, chaintest.Pay(n.key(1).PubKey(), coinValue-100),
			chaintest.Pay(script.NullData([]byte("data")), 0))
		n.mustAccept(parent)
		coin := chaintest.Output(parent, 0)
		coin.Out.Index = 1
		return n.payment(coin)
	}),
	rejection("spent in the chain, with others left", mempool.ErrInputsSpent, func(n *node) *wire.Tx {
		coin := n.coin()
		n.Mine(n.payment(coin))
		return n.Tx([]chaintest.Coin{coin}, chaintest.Pay(n.key(2).PubKey(), 10_000))
	}),
	{"spent in the chain, with no others left", func(n *node) *wire.Tx {
		parent := n.payment(n.coin())
		n.Mine(parent, n.payment(chaintest.Output(parent, 0)))
		return n.Tx([]chaintest.Coin{chaintest.Output(parent, 0)}, chaintest.Pay(n.key(2).PubKey(), 10_000))
	}, mempool.CodeFailed, "Missing inputs", mempool.ErrMissingInputs},
	{"in the chain", func(n *node) *wire.Tx {
		tx := n.payment(n.coin())
		n.Mine(tx)
		return tx
	}, mempool.CodeInChain, "transaction already in block chain", mempool.ErrInChain},
	{"in the chain and spent", func(n *node) *wire.Tx {
		tx := n.payment(n.coin())
		n.Mine(tx, n.payment(chaintest.Output(tx, 0)))
		return tx
	}, mempool.CodeRejected, mempool.ErrInputsSpent.Error(), mempool.ErrInputsSpent},
	rejection("many checks", mempool.ErrManySigOps, func(n *node) *wire.Tx {
		checks := bytes.Repeat([]byte{script.OpCheckMultiSig}, 601)
		return n.Tx([]chaintest.Coin{n.coin()}, chaintest.Pay(checks, coinValue-100))
	}),
	rejection("more out than in", consensus.ErrInBelowOut, resigned(func(tx *wire.Tx) { tx.Outputs[0].Value = coinValue + 1 })),
	{"wrong signature", func(n *node) *wire.Tx {
		tx := n.payment(n.coin())
		tx.Outputs[0].Value--
		return tx
	}, mempool.CodeRejected, "16: mandatory-script-verify-flag-failed (Script evaluated without error but " +
		"finished with a false/empty top stack element)", script.ErrEvalFalse},
}

func TestVerdicts(t *testing.T) {
	for _, c := range verdictCases {
		t.Run(c.name, func(t *testing.T) {
			n := start(t, regtest)
			tx := c.make(n)
			requireRefusal(t, n.accept(tx), c.code, c.message, c.verdict)
			n.look(func(*chain.View) {
				_, known := n.pool.Entry(tx.ID())
				require.False(t, known)
			})
		})
	}
}

func TestDecodeFails(t *testing.T) {
	n := start(t, sapling)
	raw := n.payment(n.coin()).Encode()
	for name, bad := range map[string][]byte{"nothing": nil, "short": raw[:len(raw)-1], "version": append([]byte{5}, raw[1:]...)} {
		_, err := n.pool.Accept(t.Context(), bad, false)
		require.ErrorIs(t, err, mempool.ErrDecode, name)
		requireRefusal(t, err, -22, "TX decode failed", nil)
	}
}

// TestOrder adds one defect after another to a transaction. Each new defect must be reported
// instead of those of the later checks.
func TestOrder(t *testing.T) {
	n := start(t, sapling)
	coin := n.coin()
	tx := n.payment(coin)
	n.mustAccept(n.payment(n.coins[0]))
	for _, step := range []struct {
		name  string
		spoil func()
		want  error
	}{
		{"signature", func() { tx.Outputs[0].Value -= 5 }, script.ErrEvalFalse},
		{"amount", func() { tx.Outputs[0].Value += 1000 }, consensus.ErrInBelowOut},
		{"inputs not standard", func() { tx.Inputs[0].ScriptSig = pushes(2) }, mempool.ErrNonstandardInputs},
		{"input spent", func() { tx.Inputs[0].PrevOut.Index = 1000 }, mempool.ErrInputsSpent},
		{"input missing", func() {
			tx.Inputs = append(tx.Inputs, wire.TxIn{PrevOut: wire.OutPoint{Hash: wire.HashOf(nil)}})
		}, mempool.ErrMissingInputs},
		{"conflict", func() {
			tx.Inputs = append(tx.Inputs, wire.TxIn{PrevOut: n.coins[0].Out})
		}, mempool.ErrConflict},
		{"not final", func() { tx.LockTime, tx.Inputs[0].Sequence = 1000, 0 }, mempool.ErrNonFinal},
		{"not standard", func() { tx.Outputs[0].Script = nil }, mempool.ErrScriptPubKey},
		{"expired", func() { tx.ExpiryHeight = 1 }, consensus.ErrExpired},
		{"negative", func() { tx.Outputs[0].Value = -1 }, consensus.ErrValueNegative},
	} {
		step.spoil()
		require.ErrorIs(t, n.accept(tx), step.want, step.name)
	}
}

func TestAbsurdFee(t *testing.T) {
	n := start(t, sapling)
	spend := func(fee int64) *wire.Tx {
		return n.Tx([]chaintest.Coin{n.coin()}, chaintest.Pay(n.key(1).PubKeyHash(), coinValue-fee))
	}
	size := len(spend(0).Encode())
	limit := int64(10_000 * (100 * size / 1000))
	require.Equal(t, int64(170_000), limit)
	require.NoError(t, n.accept(spend(limit)))

	over := spend(limit + 1)
	message := fmt.Sprintf("AcceptToMemoryPool: absurdly high fees %v, %d > %d", over.ID(), limit+1, limit)
	requireRefusal(t, n.accept(over), mempool.CodeFailed, message, nil)
	_, err := n.pool.Accept(t.Context(), over.Encode(), true)
	require.NoError(t, err)
}

// TestFeeOfLargePayment checks payments with fees above the limit, of one 19th of the payment
// and more.
func TestFeeOfLargePayment(t *testing.T) {
	n := start(t, sapling)
	spend := func(fee int64) *wire.Tx {
		return n.Tx([]chaintest.Coin{n.large}, chaintest.Pay(n.key(1).PubKey(), n.large.Value-fee))
	}
	fee := n.large.Value / 20
	require.ErrorContains(t, n.accept(spend(fee+1)), "absurdly high fees")
	require.NoError(t, n.accept(spend(fee)))
}

func TestFull(t *testing.T) {
	byCount := startWith(t, mempool.Config{MaxCount: 2})
	byCount.mustAccept(byCount.payment(byCount.coin()), byCount.payment(byCount.coin()))
	size := len(byCount.payment(byCount.coins[0]).Encode())
	byBytes := startWith(t, mempool.Config{MaxBytes: 3*size - 10})
	byBytes.mustAccept(byBytes.payment(byBytes.coin()), byBytes.payment(byBytes.coin()))

	for message, n := range map[string]*node{
		"66: mempool full: it may hold 2 transactions":                   byCount,
		fmt.Sprintf("66: mempool full: it may hold %d bytes", 3*size-10): byBytes,
	} {
		tx := n.payment(n.coin())
		requireRefusal(t, n.accept(tx), mempool.CodeRejected, message, mempool.ErrFull)
		n.look(func(*chain.View) { require.Equal(t, 2, n.pool.Size()) })
		waiting := []*wire.Tx{}
		n.look(func(*chain.View) {
			for _, e := range n.pool.Entries() {
				waiting = append(waiting, e.Tx)
			}
		})
		n.Mine(waiting...)
		n.mustAccept(tx)
	}
}

func TestLookups(t *testing.T) {
	n := start(t, sapling)
	coin := n.coin()
	parent := n.Tx([]chaintest.Coin{coin}, chaintest.Pay(n.key(2).PubKeyHash(), coinValue-300),
		chaintest.Pay(script.NullData([]byte("data")), 0))
	child := n.Tx([]chaintest.Coin{chaintest.Output(parent, 0)}, chaintest.Pay(n.key(1).PubKey(), coinValue-1000))
	require.ErrorIs(t, n.accept(child), mempool.ErrMissingInputs)
	n.mustAccept(parent, child)
	n.requirePool(parent, child)
	n.look(func(*chain.View) {
		e, ok := n.pool.Entry(child.ID())
		require.True(t, ok)
		require.Equal(t, int64(700), e.Fee)
		require.Equal(t, 2, e.Height)
		require.Equal(t, chaintest.Now(), e.Time)
		require.Equal(t, len(child.Encode()), e.Size)
		require.Equal(t, child.Encode(), e.Tx.Encode())
		require.Equal(t, 3, e.Coins[0].Height)

		for out, spender := range map[wire.OutPoint]*wire.Tx{coin.Out: parent, {Hash: parent.ID()}: child} {
			id, spent := n.pool.SpentBy(out)
			require.True(t, spent)
			require.Equal(t, spender.ID(), id)
		}
		_, spent := n.pool.SpentBy(wire.OutPoint{Hash: child.ID()})
		require.False(t, spent)

		held, ok := n.pool.Coin(wire.OutPoint{Hash: parent.ID()})
		require.True(t, ok)
		require.Equal(t, e.Coins[0], held)
		for _, index := range []uint32{1, 2, wire.NullIndex} { // the data output, and an index without an output
			_, ok = n.pool.Coin(wire.OutPoint{Hash: parent.ID(), Index: index})
			require.False(t, ok, index)
		}
		_, ok = n.pool.Coin(coin.Out)
		require.False(t, ok)
	})
}

// TestUnconfirmedTokens creates a token and transfers it before a block confirms the creation.
func TestUnconfirmedTokens(t *testing.T) {
	n := start(t, sapling)
	k1, k2, k3 := n.key(1), n.key(2), n.key(3)
	creation := n.Tx([]chaintest.Coin{n.coin()}, chaintest.Creation(k1, "T", 1000, 900_000)...)
	id := creation.ID()
	move := func(value int64, from chaintest.Coin, to chaintest.Signer) *wire.Tx {
		return n.Tx([]chaintest.Coin{from, n.coin()}, chaintest.Pay(to.Tokens(), value),
			chaintest.Pay(k1.PubKey(), coinValue-100), chaintest.Transfer(id, to))
	}
	first := move(1000, chaintest.Output(creation, 1), k2)
	require.ErrorIs(t, n.accept(first), mempool.ErrMissingInputs)
	n.mustAccept(creation, first)
	second := move(1000, chaintest.Output(first, 0), k3)
	inflated := move(1001, chaintest.Output(first, 0), k3)
	require.ErrorIs(t, n.accept(inflated), script.ErrEvalFalse)
	n.mustAccept(second)
	n.look(func(*chain.View) {
		marker, ok := n.pool.Coin(wire.OutPoint{Hash: id})
		require.True(t, ok)
		require.True(t, marker.Listed)
		held, ok := n.pool.Coin(wire.OutPoint{Hash: second.ID()})
		require.True(t, ok)
		require.Equal(t, token.Backed, held.Claim)
		require.Equal(t, id, held.TokenID)
		require.Zero(t, n.pool.SpentTokens(id, k1.TokenAddress())) // the chain has no tokens yet
	})
	n.Mine(creation)
	requireSpentTokens(t, n, id, 1000, 0, 0)
	n.Mine(first)
	requireSpentTokens(t, n, id, 0, 1000, 0)
	n.Mine(second)
	requireSpentTokens(t, n, id, 0, 0, 0)
	n.requirePool()
}

// requireSpentTokens checks the numbers of tokens of K1, K2 and K3 that the pool spends.
func requireSpentTokens(t *testing.T, n *node, id wire.Hash, want ...int64) {
	t.Helper()
	n.look(func(*chain.View) {
		t.Helper()
		for i := range want {
			require.Equal(t, want[i], n.pool.SpentTokens(id, n.key(i+1).TokenAddress()), "K%d", i+1)
		}
	})
}

func TestAcceptEndsWithItsContext(t *testing.T) {
	n := start(t, sapling)
	tx := n.payment(n.coin())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := n.pool.Accept(ctx, tx.Encode(), false)
	require.ErrorIs(t, err, context.Canceled)
	n.requirePool()
	n.mustAccept(tx)
}

func FuzzDecode(f *testing.F) {
	n := start(f, sapling)
	f.Add(n.payment(n.coin()).Encode())
	f.Add([]byte{1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		tx, raw, err := mempool.Decode(b)
		if err != nil {
			require.ErrorIs(t, err, mempool.ErrDecode)
			return
		}
		require.True(t, bytes.HasPrefix(b, raw))
		require.Equal(t, raw, tx.Encode())
	})
}
