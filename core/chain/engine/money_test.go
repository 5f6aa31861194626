package engine_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain/chaintest"
	"obverse/core/chain/engine"
	"obverse/core/chain/mempool"
)

// TestMoneyFromNothing uses a transaction with four outputs of 2^62 satoshis, whose sum wraps
// to zero in an int64. On a chain that may have so many coins, neither the mempool nor the
// validators may accept it as a payment of zero.
func TestMoneyFromNothing(t *testing.T) {
	v := newValidatorOf(t, memory(t), engine.Terms{Payee: payee(t), From: 1}, chaintest.Now(), "ac_supply=100 ac_reward=900000000000", mempool.DefaultRelay())
	_, err := v.Begin(t.Context(), chaintest.Now())
	require.NoError(t, err)
	tx := v.payment(t, v.premine(t), 10_000)
	for range 4 {
		tx.Outputs = append(tx.Outputs, chaintest.Pay(tx.Outputs[0].Script, 1<<62))
	}
	v.resign(t, tx, v.premine(t))
	_, err = v.pool.Accept(t.Context(), tx.Encode(), false)
	require.ErrorContains(t, err, "bad-txns-txouttotal-toolarge")
	require.ErrorIs(t, v.Judge(t.Context(), round(1, tx.Encode())), engine.ErrProposal)
	require.Error(t, v.do(t, round(1, tx.Encode())).Verdicts[0])
	require.Equal(t, 1, v.tip(t).Height)
}
