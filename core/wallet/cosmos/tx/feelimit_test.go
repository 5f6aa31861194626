package tx

import (
	"fmt"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/wallet/coin"
	"obverse/core/wallet/cosmos/address"
)

// TestUnseenFees checks that a fee, which depends on the gas that a node reports, is limited to
// ten times the usual fee and to one coin unless the request has a gas limit.
func TestUnseenFees(t *testing.T) {
	foreign, err := newWallet(t, newChain()).Address.With("osmo")
	require.NoError(t, err)
	validator := func(w *Wallet) string {
		a, err := address.New(w.Chain.ValidatorPrefix(), w.Address.Bytes())
		require.NoError(t, err)
		return a.String()
	}
	stake := func(kind coin.TransactionKind) func(*Wallet, coin.WithdrawRequest) (coin.Transaction, error) {
		return func(w *Wallet, r coin.WithdrawRequest) (coin.Transaction, error) {
			r.To = validator(w)
			return w.Stake(t.Context(), Stake{Kind: kind, Staked: big.NewInt(1e9), Reward: big.NewInt(1e9)}, r)
		}
	}
	send := func(asset Asset, to string) func(*Wallet, coin.WithdrawRequest) (coin.Transaction, error) {
		return func(w *Wallet, r coin.WithdrawRequest) (coin.Transaction, error) {
			r.To = to
			return w.Withdraw(t.Context(), asset, r)
		}
	}
	for _, c := range []struct {
		name  string
		do    func(*Wallet, coin.WithdrawRequest) (coin.Transaction, error)
		limit uint64 // gas
	}{
		{"coin", send(atom, receiver), 10 * TransferGas},
		{"token", send(voucher, receiver), 10 * TransferGas},
		{"IBC", send(atom, foreign.String()), 10 * IBCGas},
		{"delegation", stake(coin.KindDelegation), 10 * StakeGas},
		{"undelegation", stake(coin.KindRemoveDelegation), 10 * StakeGas},
		{"claim", stake(coin.KindClaimRewards), 10 * StakeGas},
	} {
		for _, sends := range []bool{false, true} {
			t.Run(fmt.Sprint(c.name, ", sends ", sends), func(t *testing.T) {
				do := func(gas uint64, entry string, fee coin.FeePolicy) error {
					chain := newChain()
					chain.gas = gas
					w := newWallet(t, chain)
					w.Chain.GasPrice = rat(t, entry)
					_, err := c.do(w, coin.WithdrawRequest{Amount: rat(t, "0.5"), Send: sends, Fee: fee})
					if err != nil {
						require.Nil(t, chain.sent)
					}
					return err
				}
				inLimit := c.limit / marginNumer * marginDenom
				require.NoError(t, do(inLimit, "0.03", nil))
				for _, fee := range []coin.FeePolicy{nil, coin.CosmosGas{Price: rat(t, "0.03")}} {
					err := do(c.limit, "0.03", fee)
					var invalid *coin.InvalidError
					require.ErrorAs(t, err, &invalid)
					require.Equal(t, coin.FieldFee, invalid.Field)
					require.ErrorContains(t, err, "exceeds the limit of ")
				}
				require.NoError(t, do(c.limit, "0.03", coin.CosmosGas{Price: rat(t, "0.03"), Limit: 2 * c.limit}))
				require.ErrorContains(t, do(100_000, "8", nil), "exceeds the limit of 1 ATOM")
			})
		}
	}
}

// TestRecoveryPhraseInMemo checks that recovery phrases are rejected in memos, which are
// public.
func TestRecoveryPhraseInMemo(t *testing.T) {
	w := newWallet(t, newChain())
	validator, err := address.New(w.Chain.ValidatorPrefix(), w.Address.Bytes())
	require.NoError(t, err)
	const phrase = "Legal, winner thank year wave sausage worth useful legal winner thank yellow"
	for memo, refused := range map[string]bool{phrase: true, "1 " + phrase + "!": true, phrase[:len(phrase)-7]: false, "": false} {
		r := coin.WithdrawRequest{Amount: rat(t, "1"), Memo: memo}
		check := func(err error) {
			if !refused {
				require.NoError(t, err)
				return
			}
			var invalid *coin.InvalidError
			require.ErrorAs(t, err, &invalid)
			require.Equal(t, coin.FieldMemo, invalid.Field)
			require.ErrorIs(t, err, coin.ErrPhrase)
			require.NotContains(t, err.Error(), "winner")
		}
		r.To = receiver
		_, err := w.Withdraw(t.Context(), atom, r)
		check(err)
		r.To = validator.String()
		for _, kind := range []coin.TransactionKind{coin.KindDelegation, coin.KindRemoveDelegation, coin.KindClaimRewards} {
			_, err = w.Stake(t.Context(), Stake{Kind: kind, Staked: big.NewInt(1e9), Reward: big.NewInt(1e9)}, r)
			check(err)
		}
	}
}
