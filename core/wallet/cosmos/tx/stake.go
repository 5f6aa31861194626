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

// ValidatorPrefix is the prefix of validators' addresses on a chain: that of the Cosmos SDK, except
// for chains with their own (irishub types/address.go, crypto.org's app/prefix.go).
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
	Staked *big.Int             // of KindRemoveDelegation: the staked amount
	Reward *big.Int             // of KindClaimRewards
	Force  bool                 // of KindClaimRewards: even if the reward is not above the fee
}

// Stake makes a transaction about a validator, which r names as To.
func (w *Wallet) Stake(ctx context.Context, s Stake, r coin.WithdrawRequest) (coin.Transaction, error) {
	return w.make(ctx, w.Chain.Native, r, &s)
}

// pays reports whether the amount is taken from the account's balance.
func (p *plan) pays() bool { return p.stake == nil || p.stake.Kind == coin.KindDelegation }

// amount sets the amount of the operation. It reports false if the amount is that of the request.
func (s *Stake) amount(p *plan) (ok bool) {
	switch {
	case s.Kind == coin.KindClaimRewards:
		p.units = new(big.Int)
		return true
	case s.Kind == coin.KindRemoveDelegation && p.request.Max:
		p.units = s.Staked
		return true
	}
	return false
}

// within returns an error when more is to be undelegated than is staked.
func (s *Stake) within(p *plan) error {
	if s.Kind == coin.KindRemoveDelegation && p.units.Cmp(s.Staked) > 0 {
		return &coin.TooMuchError{Available: p.asset.coins(s.Staked), Requested: p.asset.coins(p.units)}
	}
	return nil
}

// validator parses the validator of the request.
func (p *plan) validator() (err error) {
	if p.to, err = address.Check(p.request.To, p.Chain.ValidatorPrefix()); err != nil {
		return invalid(coin.FieldTo, err)
	}
	return nil
}

// worth checks that the account can pay the fee, and that a reward is above it.
func (p *plan) worth() error {
	if s := p.stake; s.Kind == coin.KindClaimRewards && !s.Force && s.Reward.Cmp(p.fee) <= 0 {
		return &coin.UnprofitableError{Reward: p.asset.coins(s.Reward), Fee: p.asset.coins(p.fee)}
	}
	if p.funds.Cmp(p.fee) < 0 {
		return &coin.ShortageError{Coin: p.asset.Ticker, Available: p.asset.coins(p.funds), Required: p.asset.coins(p.fee)}
	}
	return nil
}

func (s *Stake) message(p *plan) wire.Named {
	stake := wire.Stake{Delegator: p.from.String(), Validator: p.to.String(), Amount: wire.Coin{Denom: p.asset.Denom, Amount: p.units.String()}}
	switch s.Kind {
	case coin.KindDelegation:
		return &wire.MsgDelegate{Stake: stake}
	case coin.KindRemoveDelegation:
		return &wire.MsgUndelegate{Stake: stake}
	}
	return &wire.MsgWithdrawDelegatorReward{Delegator: stake.Delegator, Validator: stake.Validator}
}

// result converts the result of a transfer to that of staking, as Komodo DeFi Framework returns it.
func (s *Stake) result(p *plan, t coin.Transaction) coin.Transaction {
	t.Kind = s.Kind
	if s.Kind == coin.KindDelegation {
		return t
	}
	t.Spent, t.Total, t.To = t.Fee.Amount, t.Fee.Amount, []string{}
	if s.Kind == coin.KindClaimRewards {
		var reward number.Rational = p.asset.coins(s.Reward)
		t.From, t.To = []string{p.to.String()}, []string{p.from.String()}
		t.Total, t.Received = reward, reward
	}
	return t
}
