package consensus_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain/chaintest"
	"obverse/core/chain/consensus"
	"obverse/core/chain/wire"
)

// TestSumsDoNotWrap checks sums on a chain that may have more than 2^62 satoshis, where the sum
// of two outputs or coins can exceed an int64 (CVE-2010-5139).
func TestSumsDoNotWrap(t *testing.T) {
	p := chaintest.Params(t, "ac_name=TOKTEST ac_sapling=1 ac_supply=100 ac_reward=900000000000")
	const half = 1 << 62
	require.Greater(t, p.MaxMoney, int64(half))
	for outputs, want := range map[int]error{1: nil, 2: consensus.ErrTotalTooLarge, 4: consensus.ErrTotalTooLarge, 5: consensus.ErrTotalTooLarge} {
		tx := chaintest.Spend(p, 2, []chaintest.Coin{{Out: wire.OutPoint{Index: 1}}})
		for range outputs {
			tx.Outputs = append(tx.Outputs, chaintest.Pay(nil, half))
		}
		require.ErrorIs(t, consensus.CheckTx(tx, 1000, p), want, outputs)

		coins := make([]consensus.Coin, outputs)
		for i := range coins {
			coins[i].Value = half
		}
		tx.Outputs = tx.Outputs[:1]
		_, err := consensus.CheckSpend(tx, coins, 2, p)
		if want != nil {
			want = consensus.ErrInputRange
		}
		require.ErrorIs(t, err, want, outputs)
	}
}
