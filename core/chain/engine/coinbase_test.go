package engine_test

import (
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain/chaintest"
	"obverse/core/chain/consensus"
	"obverse/core/chain/engine"
	"obverse/core/chain/mempool"
	"obverse/core/chain/params"
	"obverse/core/chain/script"
)

// TestBlockKeepsSigOpsForItsCoinbase fills the mempool with the maximum number of signature
// operations of a block. Because the coinbase also has one, not all transactions fit into one
// block.
func TestBlockKeepsSigOpsForItsCoinbase(t *testing.T) {
	s := newSolo(t, "ac_supply=100")
	require.NoError(t, s.Begin(t.Context()))
	pub := secret(t).PublicKey()
	const perTx, perOutput = params.MaxBlockSigOps / 5, 20
	from := s.block(t, s.tip(t).Hash).Txs[0]
	for range 5 {
		tx := s.payment(t, from, 10_000_000)
		for range perTx/perOutput - 1 {
			tx.Outputs = append(tx.Outputs, chaintest.Pay(chaintest.MultiSig(1, pub[:]), 1000))
		}
		for range perOutput - 1 {
			tx.Outputs = append(tx.Outputs, chaintest.Pay(script.PayToPubKey(pub[:]), 1000))
		}
		s.resign(t, tx, from)
		_, err := s.pool.Accept(t.Context(), tx.Encode(), true)
		require.NoError(t, err)
		from = tx
	}
	hashes, err := s.Generate(t.Context(), 2)
	require.NoError(t, err)
	require.Len(t, s.block(t, hashes[0]).Txs, 1+4)
	require.Zero(t, s.pool.Size())
}

// moved returns the given number of consecutive payments of 100 coins by their owner to itself.
func (s *solo) moved(t *testing.T, times int) (raws [][]byte) {
	from := s.block(t, s.tip(t).Hash).Txs[0]
	for range times {
		from = s.payment(t, from, 10_000)
		raws = append(raws, from.Encode())
	}
	return raws
}

// commissionOptions returns the options of a chain whose producer receives 10 % of the
// transferred coins. The chain allows at most 716 coins, so 100 payments of 100 coins owe more
// commission than that: 1000 coins.
func commissionOptions(t *testing.T) string {
	pub := secret(t).PublicKey()
	return "ac_supply=100 ac_reward=5000 ac_perc=10000000 ac_pubkey=" + hex.EncodeToString(pub[:])
}

func TestBlockLeavesOutTooMuchCommission(t *testing.T) {
	s := newSolo(t, commissionOptions(t))
	require.NoError(t, s.Begin(t.Context()))
	for _, raw := range s.moved(t, 100) {
		_, err := s.pool.Accept(t.Context(), raw, false)
		require.NoError(t, err)
	}
	hashes, err := s.Generate(t.Context(), 2)
	require.NoError(t, err)
	require.Zero(t, s.pool.Size())
	coinbase := s.block(t, hashes[0]).Txs[0]
	require.Less(t, coinbase.Outputs[0].Value+coinbase.Outputs[1].Value, s.manager.Params().MaxMoney)
	require.Greater(t, coinbase.Outputs[1].Value, s.manager.Params().MaxMoney*9/10, "as much as fits")
}

// TestValidatorsLeaveOutTooMuchCommission checks that validators refuse a proposal that owes
// too much commission, and that no validator ends even if the others accept it.
func TestValidatorsLeaveOutTooMuchCommission(t *testing.T) {
	v := newValidatorOf(t, memory(t), engine.Terms{Payee: payee(t), From: 1}, chaintest.Now(), commissionOptions(t), mempool.DefaultRelay())
	_, err := v.Begin(t.Context(), chaintest.Now())
	require.NoError(t, err)
	all := round(1, v.moved(t, 100)...)
	require.ErrorIs(t, v.Judge(t.Context(), all), engine.ErrProposal)
	chosen, err := v.Propose(t.Context(), all)
	require.NoError(t, err)
	require.NoError(t, v.Judge(t.Context(), round(1, chosen...)))
	require.ErrorIs(t, v.Judge(t.Context(), round(1, all.Txs[:len(chosen)+1]...)), consensus.ErrCommission)
	out := v.do(t, all)
	require.NoError(t, out.Verdicts[len(chosen)-1])
	require.ErrorIs(t, out.Verdicts[len(chosen)], consensus.ErrCommission)
	require.Error(t, out.Verdicts[len(chosen)+1], "it spends from the one before")
}
