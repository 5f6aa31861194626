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

// TestBlockKeepsSigOpsForItsCoinbase fills the mempool with as many signature operations as a
// block may have. The coinbase has one too, so that not all of them fit into one block.
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

// moved returns payments of 100 coins to their owner, one after another.
func (s *solo) moved(t *testing.T, times int) (raws [][]byte) {
	from := s.block(t, s.tip(t).Hash).Txs[0]
	for range times {
		from = s.payment(t, from, 10_000)
		raws = append(raws, from.Encode())
	}
	return raws
}

// commissionOptions returns the options of a chain whose producer gets 10 % of the transferred
// coins. There can be 716 coins, and 100 payments of 100 coins owe a commission of 1000.
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

// TestValidatorsLeaveOutTooMuchCommission: a proposal with too much is refused, and no validator
// ends, whatever the others decide.
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
