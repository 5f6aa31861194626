package wallet_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain/chaintest"
	"obverse/core/chain/params"
	"obverse/core/chain/token"
	"obverse/core/chain/wallet"
	"obverse/core/chain/wire"
)

// payees returns n payees of one token each.
func payees(n int) []wallet.Payee {
	list := make([]wallet.Payee, n)
	for i := range list {
		list[i] = wallet.Payee{Key: token.Key{2, byte(i), byte(i >> 8), byte(i >> 16)}, Amount: 1}
	}
	return list
}

// TestLargestOutputs checks that small outputs at the start of the list hide neither tokens nor
// coins.
func TestLargestOutputs(t *testing.T) {
	w := newWallet(t, "")
	small := slices.Repeat([]int64{1}, 5000)
	from := tokens(t, append(slices.Clone(small), 1000, 3000)...)
	from.coins = coins(t, append(slices.Repeat([]int64{10}, 5000), 300*wallet.Fee)...)
	to := payees(1)
	to[0].Amount = 4200
	p, err := w.PayTokens(&from, wire.Hash{1}, to, 0)
	require.NoError(t, err)
	tx, _, err := p.Branches[0].Next()
	require.NoError(t, err)
	require.Equal(t, []int{5000, 6000 + 1, 6000}, inputs(tx)[:3])
	require.Len(t, tx.Inputs, 3+200)

	to[0].Amount = 4249 // one more than the largest outputs
	_, err = w.PayTokens(&from, wire.Hash{1}, to, 0)
	require.ErrorContains(t, err, "they are in outputs too small")
	to[0].Amount = 9001
	_, err = w.PayTokens(&from, wire.Hash{1}, to, 0)
	require.ErrorContains(t, err, "the payees get 9001, the node's key has 9000 that can be spent")
}

// TestFanSize checks that the largest transaction that splits coins and tokens does not exceed the
// size limits.
func TestFanSize(t *testing.T) {
	for name, c := range map[string]struct {
		options     string
		payees      int
		branches    int
		inputs      int // at least
		token, coin int64
		limit       int
	}{
		"Sapling":                 {"", 40_100, 800, 500, 160, 800_200, params.MaxTxSizeSapling},
		"no Sapling, many inputs": {"ac_sapling=1000000", 10_400, 206, 490, 42, 207_000, params.MaxTxSizeLegacy},
		"no Sapling, many payees": {"ac_sapling=1000000", 20_100, 206, 200, 80, 402_000, params.MaxTxSizeLegacy},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWallet(t, c.options)
			from := tokens(t, slices.Repeat([]int64{c.token}, 300)...)
			from.coins = coins(t, slices.Repeat([]int64{c.coin}, 300)...)
			for i := range from.coins {
				from.coins[i].Script = chaintest.Key(t, 1).PubKeyHash()
			}
			p, err := w.PayTokens(&from, wire.Hash{1}, payees(c.payees), 0)
			require.NoError(t, err)
			require.Equal(t, c.branches, len(p.Branches))
			require.GreaterOrEqual(t, len(p.Fan.Inputs), c.inputs)
			require.Less(t, len(p.Fan.Encode()), c.limit)
		})
	}
}
