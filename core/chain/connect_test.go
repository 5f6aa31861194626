package chain_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain"
	"obverse/core/chain/chaintest"
	"obverse/core/chain/consensus"
	"obverse/core/chain/script"
	"obverse/core/chain/token"
	"obverse/core/chain/wire"
)

// scene is a chain with coins and tokens of K1, and the parts of a valid block to corrupt: a
// payment, a second one that spends the first, and a transfer of tokens.
type scene struct {
	*writer
	first, second, transferred *wire.Tx
	creation                   wire.Hash
}

func newScene(t *testing.T) *scene {
	w := begin(t, chaintest.InMemory(t, options))
	s := &scene{writer: w, creation: w.holdings[0].id}
	s.first = w.pay()
	s.second = w.Tx([]chaintest.Coin{chaintest.Output(s.first, 0)}, chaintest.Pay(w.key(2).PubKey(), 299_000))
	s.transferred = w.transfer()
	return s
}

// resigned signs a changed transaction that spends these coins again.
func (s *scene) resigned(tx *wire.Tx, from ...chaintest.Coin) *wire.Tx {
	return chaintest.Sign(s.t, tx, s.Params().BranchID(s.Tip().Height+1), from, s.key(1), s.key(2))
}

// refusal is a block with one defect, and the expected error.
type refusal struct {
	name    string
	corrupt func(s *scene) []*wire.Tx // returns the transactions of the block without the coinbase
	want    error
}

// amounts returns refusals caused by invalid amounts.
func amounts() []refusal {
	return []refusal{
		{"valid", func(s *scene) []*wire.Tx { return []*wire.Tx{s.first, s.second, s.transferred} }, nil},
		{"transactions in another order", func(s *scene) []*wire.Tx { return []*wire.Tx{s.transferred, s.first, s.second} }, nil},
		{"child before its parent", func(s *scene) []*wire.Tx { return []*wire.Tx{s.second, s.first} }, consensus.ErrMissingOrSpent},
		{"child alone", func(s *scene) []*wire.Tx { return []*wire.Tx{s.second} }, consensus.ErrMissingOrSpent},
		{"coin spent twice in a block", func(s *scene) []*wire.Tx {
			again := s.Tx([]chaintest.Coin{chaintest.Output(s.first, 0)}, chaintest.Pay(s.key(3).PubKey(), 1))
			return []*wire.Tx{s.first, s.second, again}
		}, consensus.ErrMissingOrSpent},
		{"coin of the chain spent twice in a block", func(s *scene) []*wire.Tx {
			from := []chaintest.Coin{s.coin()}
			return []*wire.Tx{s.Tx(from, chaintest.Pay(s.key(3).PubKey(), 1)), s.Tx(from, chaintest.Pay(s.key(3).PubKey(), 2))}
		}, consensus.ErrMissingOrSpent},
		{"coin spent in an earlier block", func(s *scene) []*wire.Tx {
			s.Mine(s.first)
			return []*wire.Tx{s.Tx([]chaintest.Coin{{Out: s.first.Inputs[0].PrevOut, TxOut: chaintest.Pay(s.key(1).PubKey(), coinValue)}},
				chaintest.Pay(s.key(3).PubKey(), 1))}
		}, consensus.ErrMissingOrSpent},
		{"unspendable output", func(s *scene) []*wire.Tx {
			return []*wire.Tx{s.first, s.Tx([]chaintest.Coin{chaintest.Output(s.first, 2)}, chaintest.Pay(s.key(3).PubKey(), 1))}
		}, consensus.ErrMissingOrSpent},
		{"output of this block that is not there", func(s *scene) []*wire.Tx {
			beyond := chaintest.Coin{Out: wire.OutPoint{Hash: s.first.ID(), Index: 4}, TxOut: s.first.Outputs[0]}
			return []*wire.Tx{s.first, s.Tx([]chaintest.Coin{beyond}, chaintest.Pay(s.key(3).PubKey(), 1))}
		}, consensus.ErrMissingOrSpent},
		{"transaction of an earlier block", func(s *scene) []*wire.Tx { s.Mine(s.first); return []*wire.Tx{s.first} }, consensus.ErrExistingTx},
		{"transaction twice, not side by side", func(s *scene) []*wire.Tx { return []*wire.Tx{s.first, s.second, s.first} }, consensus.ErrExistingTx},
		{"more out than in", func(s *scene) []*wire.Tx {
			return []*wire.Tx{s.Tx([]chaintest.Coin{s.coin()}, chaintest.Pay(s.key(3).PubKey(), coinValue+1))}
		}, consensus.ErrInBelowOut},
		{"coinbase of this block", func(s *scene) []*wire.Tx {
			coin := chaintest.Output(s.Build(s.Tip().Hash).Txs[0], 0)
			return []*wire.Tx{s.Tx([]chaintest.Coin{coin}, chaintest.Pay(s.key(3).PubKey(), 1))}
		}, consensus.ErrMissingOrSpent},
	}
}

// proofs returns refusals caused by invalid proofs.
func proofs() []refusal {
	return []refusal{
		{"signature of another transaction", func(s *scene) []*wire.Tx {
			s.first.Inputs[0].ScriptSig = s.second.Inputs[0].ScriptSig
			return []*wire.Tx{s.first}
		}, script.ErrEvalFalse},
		{"no signature", func(s *scene) []*wire.Tx {
			s.first.Inputs[0].ScriptSig = nil
			return []*wire.Tx{s.first}
		}, script.ErrInvalidStack},
		{"one token too many", func(s *scene) []*wire.Tx {
			h, coin := s.holdings[0], chaintest.Output(s.transferred, 2)
			tx := s.Tx([]chaintest.Coin{coin, s.coin()}, chaintest.Pay(s.key(2).Tokens(), h.Value+1), chaintest.Transfer(s.creation, s.key(2)))
			return []*wire.Tx{s.transferred, tx}
		}, script.ErrEvalFalse},
		{"tokens without a payload", func(s *scene) []*wire.Tx {
			coin := chaintest.Output(s.transferred, 2)
			return []*wire.Tx{s.transferred, s.Tx([]chaintest.Coin{coin}, chaintest.Pay(s.key(2).Tokens(), coin.Value))}
		}, script.ErrEvalFalse},
		{"tokens of another id", func(s *scene) []*wire.Tx {
			coin := chaintest.Output(s.transferred, 2)
			return []*wire.Tx{s.transferred, s.Tx([]chaintest.Coin{coin}, chaintest.Pay(s.key(2).Tokens(), coin.Value), chaintest.Transfer(wire.Hash{7}, s.key(2)))}
		}, script.ErrEvalFalse},
		{"expired", func(s *scene) []*wire.Tx {
			from := s.coin()
			tx := s.Tx([]chaintest.Coin{from}, chaintest.Pay(s.key(3).PubKey(), 1))
			tx.ExpiryHeight = uint32(s.Tip().Height)
			return []*wire.Tx{s.resigned(tx, from)}
		}, consensus.ErrExpired},
		{"not final", func(s *scene) []*wire.Tx {
			from := s.coin()
			tx := s.Tx([]chaintest.Coin{from}, chaintest.Pay(s.key(3).PubKey(), 1))
			tx.LockTime, tx.Inputs[0].Sequence = uint32(s.Tip().Height+2), 0
			return []*wire.Tx{s.resigned(tx, from)}
		}, consensus.ErrNonFinal},
		{"signature of another upgrade", func(s *scene) []*wire.Tx {
			from := s.coin()
			tx := chaintest.Spend(s.Params(), s.Tip().Height+1, []chaintest.Coin{from}, chaintest.Pay(s.key(3).PubKey(), 1))
			return []*wire.Tx{chaintest.Sign(s.t, tx, 0x5ba81b19, []chaintest.Coin{from}, s.key(1))}
		}, script.ErrEvalFalse},
		{"too many signature operations in redeem scripts", func(s *scene) []*wire.Tx {
			redeem := bytes.Repeat([]byte{script.OpCheckSig}, 500)
			outs := make([]wire.TxOut, 121)
			for i := range outs {
				outs[i] = chaintest.Pay(script.PayToScriptHash(script.Hash160(redeem)), 10)
			}
			funds := s.Tx([]chaintest.Coin{s.coin()}, outs...)
			var from []chaintest.Coin
			for i := range outs {
				from = append(from, chaintest.Output(funds, i))
			}
			tx := s.Tx(from, chaintest.Pay(s.key(3).PubKey(), 1))
			for i := range tx.Inputs {
				tx.Inputs[i].ScriptSig = script.PushData(redeem)
			}
			return []*wire.Tx{funds, tx}
		}, consensus.ErrBlockSigOps},
	}
}

// TestConnectRefuses corrupts one part of a valid block in each case.
func TestConnectRefuses(t *testing.T) {
	for _, test := range slices.Concat(amounts(), proofs()) {
		t.Run(test.name, func(t *testing.T) {
			s := newScene(t)
			txs := test.corrupt(s)
			before, tip := indexes(t, s.Store), s.Tip()
			_, err := s.Manager.Submit(t.Context(), s.Build(tip.Hash, txs...).Encode())
			if test.want == nil {
				require.NoError(t, err)
				require.NoError(t, s.Invalidate(t.Context(), s.Tip().Hash))
			} else {
				require.ErrorIs(t, err, test.want)
			}
			requireSame(t, before, indexes(t, s.Store))
			require.Equal(t, tip, s.Tip())
			sideways(t, s, txs, test.want)
		})
	}
}

// sideways submits the same block on a branch, followed by a block that makes the branch the
// better one. The error must be the same, and the tip must not change.
func sideways(t *testing.T, s *scene, txs []*wire.Tx, want error) {
	t.Helper()
	fork := s.Tip()
	mined := s.Mine()
	before := indexes(t, s.Store)
	bad := s.Build(fork.Hash, txs...)
	_, err := s.Manager.Submit(t.Context(), bad.Encode())
	if err != nil && !isSide(err) { // errors that do not depend on the chain are reported immediately
		require.ErrorIs(t, err, want)
		requireSame(t, before, indexes(t, s.Store))
		return
	}
	above := s.Build(bad.Hash())
	_, err = s.Manager.Submit(t.Context(), above.Encode())
	if want == nil {
		require.NoError(t, err)
		require.Equal(t, above.Hash(), s.Tip().Hash)
		return
	}
	require.ErrorIs(t, err, chain.ErrSideBranch, "nothing is wrong with the block itself")
	require.Equal(t, mined.Hash(), s.Tip().Hash)
	requireSame(t, before, indexes(t, s.Store))
	_, err = s.Manager.Submit(t.Context(), bad.Encode())
	require.ErrorIs(t, err, chain.ErrKnownInvalid)
	require.NoError(t, s.Reconsider(t.Context(), bad.Hash()))
	require.Equal(t, mined.Hash(), s.Tip().Hash, "it was looked at again, and refused again")
}

// TestCoinbaseTakesFees checks that a coinbase may claim the fees of its block's transactions
// and no more.
func TestCoinbaseTakesFees(t *testing.T) {
	for name, c := range map[string]struct {
		more int64
		want error
	}{"less": {-1, nil}, "all": {0, nil}, "one more": {1, consensus.ErrCoinbaseAmount}} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			const fee = coinValue - 600_011 + 1000 // sum of both payments' fees
			b := s.Build(s.Tip().Hash, s.first, s.second)
			b.Txs[0].Outputs[0].Value += fee + c.more
			ids := []wire.Hash{b.Txs[0].ID(), s.first.ID(), s.second.ID()}
			b.MerkleRoot, _ = wire.MerkleRoot(ids)
			_, err := s.Manager.Submit(t.Context(), b.Encode())
			require.ErrorIs(t, err, c.want)
		})
	}
}

// TestMaturity spends a coinbase one block too early, and at the first height that allows it.
func TestMaturity(t *testing.T) {
	c := chaintest.InMemory(t, options+" ac_cbmaturity=5")
	coin := chaintest.Output(c.Mine().Txs[0], 0)
	for range 3 {
		c.Mine()
	}
	spend := func() *wire.Tx { return c.Tx([]chaintest.Coin{coin}, chaintest.Pay(chaintest.Key(t, 2).PubKey(), 1)) }
	_, err := c.Manager.Submit(t.Context(), c.Build(c.Tip().Hash, spend()).Encode())
	require.ErrorIs(t, err, consensus.ErrPrematureSpend)
	c.Mine()
	c.Mine(spend())
}

// TestNamedTransaction checks that the error names the invalid transaction.
func TestNamedTransaction(t *testing.T) {
	s := newScene(t)
	_, err := s.Manager.Submit(t.Context(), s.Build(s.Tip().Hash, s.second).Encode())
	require.ErrorContains(t, err, s.second.ID().String())
	var rejection *consensus.Rejection
	require.ErrorAs(t, err, &rejection)
	require.Equal(t, "bad-txns-inputs-missingorspent", rejection.Reason)
}

// TestBurnedTokens checks that tokens sent to the burn key cannot be moved.
func TestBurnedTokens(t *testing.T) {
	s := newScene(t)
	s.Mine(s.first, s.transferred)
	burned := chain.AddressesOf(token.Script([]byte{token.Eval}, token.BurnKey()))[0]
	require.NoError(t, s.Read(t.Context(), func(v *chain.View) error {
		held, err := v.TokenBalance(s.creation, burned)
		require.EqualValues(t, 2, held)
		return err
	}))
}
