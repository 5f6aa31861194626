package tx

import (
	"context"
	"math/big"

	"obverse/core/number"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/cosmos/address"
	"obverse/core/wallet/cosmos/wire"
)

// StakeGas is the gas limit for staking when no node simulates.
const StakeGas = 400_000

// ValidatorPrefix returns the prefix of validators' addresses on a chain. It is the prefix of
// the Cosmos SDK, except for chains with their own (irishub types/address.go, crypto.org's
// app/prefix.go).
func (c Chain) ValidatorPrefix() string {
	switch c.Prefix {
	case "iaa":
		return "iva"
	case "cro":
		return "crocncl"
	}
	return c.Prefix + "valoper"
}

// Stake is an operation with a validator.
type Stake struct {
	Kind   coin.TransactionKind // coin.KindDelegation, KindRemoveDelegation or KindClaimRewards
	Staked *big.Int             // staked amount, for KindRemoveDelegation
	Reward *big.Int             // reward, for KindClaimRewards
	Force  bool                 // whether to claim a reward that is not more than the fee, for KindClaimRewards
}

// Stake makes a transaction about a validator, which r names as To.
func (w *Wallet) Stake(ctx context.Context, s Stake, r coin.WithdrawRequest) (coin.Transaction, error) {
	t := transfer{asset: w.Chain.Native, memo: r.Memo, fee: r.Fee, stake: &s}
	err := w.check(r)
	if err == nil {
		t.units, err = s.units(t.asset, r)
	}
	if err != nil {
		return coin.Transaction{}, err
	}
	if t.to, err = address.Check(r.To, w.Chain.ValidatorPrefix()); err != nil {
		return coin.Transaction{}, invalid(coin.FieldTo, err)
	}
	return w.execute(ctx, t, r)
}

// pays reports whether the amount is taken from the account's balance. s may be nil.
func (s *Stake) pays() bool { return s == nil || s.Kind == coin.KindDelegation }

// units returns the amount of the operation; nil means the whole balance.
func (s *Stake) units(a Asset, r coin.WithdrawRequest) (*big.Int, error) {
	switch {
	case s.Kind == coin.KindClaimRewards:
		return new(big.Int), nil
	case r.Max:
		return s.Staked, nil // nil for a delegation
	}
	units, err := a.units(r.Amount)
	if err == nil && s.Kind == coin.KindRemoveDelegation && units.Cmp(s.Staked) > 0 {
		err = &coin.TooMuchError{Available: a.coins(s.Staked), Requested: a.coins(units)}
	}
	return units, err
}

// worth checks that the account can pay the fee, and that a reward is more than the fee.
func (s *Stake) worth(funds coin.Funds, f fee) error {
	if s.Kind == coin.KindClaimRewards && !s.Force && s.Reward.Cmp(f.units) <= 0 {
		return &coin.UnprofitableError{Reward: number.Scaled(s.Reward, funds.Decimals), Fee: number.Scaled(f.units, funds.Decimals)}
	}
	if funds.Units.Cmp(f.units) < 0 {
		return funds.Short(f.units, false)
	}
	return nil
}

func (s *Stake) message(delegator, validator address.Address, amount wire.Coin) wire.Named {
	stake := wire.Stake{Delegator: delegator.String(), Validator: validator.String(), Amount: amount}
	switch s.Kind {
	case coin.KindDelegation:
		return &wire.MsgDelegate{Stake: stake}
	case coin.KindRemoveDelegation:
		return &wire.MsgUndelegate{Stake: stake}
	}
	return &wire.MsgWithdrawDelegatorReward{Delegator: stake.Delegator, Validator: stake.Validator}
}

// result converts the result of a transfer to the result of staking, as in Komodo DeFi
// Framework.
func (s *Stake) result(a Asset, t coin.Transaction) coin.Transaction {
	t.Kind = s.Kind
	if s.Kind == coin.KindDelegation {
		return t
	}
	t.Spent, t.Total = t.Fee.Amount, t.Fee.Amount
	if s.Kind == coin.KindRemoveDelegation {
		t.To = []string{}
		return t
	}
	t.From, t.To = t.To, t.From
	t.Total, t.Received = a.coins(s.Reward), a.coins(s.Reward)
	return t
}
