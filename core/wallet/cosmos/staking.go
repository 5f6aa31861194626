package cosmos

import (
	"context"
	"errors"
	"math/big"

	"obverse/core/number"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/cosmos/address"
	"obverse/core/wallet/cosmos/node"
	"obverse/core/wallet/cosmos/tx"
	"obverse/core/wallet/cosmos/wire"
)

var _ coin.Staker = (*Platform)(nil)

// Delegate implements coin.Staker.
func (p *Platform) Delegate(ctx context.Context, r coin.WithdrawRequest) (coin.Transaction, error) {
	return p.stake(ctx, tx.Stake{Kind: coin.KindDelegation}, r)
}

// Undelegate implements coin.Staker.
func (p *Platform) Undelegate(ctx context.Context, r coin.WithdrawRequest) (coin.Transaction, error) {
	staked, err := p.staked(ctx, r.To)
	if err != nil {
		return coin.Transaction{}, err
	}
	return p.stake(ctx, tx.Stake{Kind: coin.KindRemoveDelegation, Staked: staked}, r)
}

// ClaimRewards implements coin.Staker. Fractions of the smallest unit remain on the chain.
func (p *Platform) ClaimRewards(ctx context.Context, r coin.WithdrawRequest, force bool) (coin.Transaction, error) {
	_, err := p.staked(ctx, r.To)
	if errors.Is(err, coin.ErrNoDelegation) {
		return coin.Transaction{}, coin.ErrNothingToClaim
	}
	if err != nil {
		return coin.Transaction{}, err
	}
	parts, err := node.Units(ctx, p.nodes.pool, wire.PathRewards, &wire.DelegationRequest{Delegator: p.delegator(), Validator: r.To},
		func(answer *wire.RewardsResponse) (*big.Int, error) { return p.reward(answer.Rewards) })
	if err != nil {
		return coin.Transaction{}, coin.Failed(err)
	}
	units := parts.Div(parts, oneUnit())
	if units.Sign() == 0 {
		return coin.Transaction{}, coin.ErrNothingToClaim
	}
	return p.stake(ctx, tx.Stake{Kind: coin.KindClaimRewards, Reward: units, Force: force}, r)
}

// stake makes a transaction about a validator.
func (p *Platform) stake(ctx context.Context, s tx.Stake, r coin.WithdrawRequest) (coin.Transaction, error) {
	opened, err := p.account.Signer(ctx)
	if err != nil {
		return coin.Transaction{}, err
	}
	defer opened.Close()
	return p.wallet(opened, p.Confirmations()).Stake(ctx, s, r)
}

func (p *Platform) delegator() string { return p.account.Address }

// staked queries the amount that the address has staked with a validator.
func (p *Platform) staked(ctx context.Context, validator string) (*big.Int, error) {
	if _, err := address.Check(validator, p.params.ValidatorPrefix()); err != nil {
		return nil, &coin.InvalidError{Field: coin.FieldTo, Reason: err}
	}
	units, err := node.Units(ctx, p.nodes.pool, wire.PathDelegation, &wire.DelegationRequest{Delegator: p.delegator(), Validator: validator},
		func(answer *wire.DelegationResponse) (*big.Int, error) {
			if answer.Delegation == nil {
				return new(big.Int), nil
			}
			return answer.Delegation.Balance.Units()
		})
	if err == nil && units.Sign() == 0 {
		return nil, coin.ErrNoDelegation
	}
	return units, coin.Failed(err)
}

// rewardDigits is the number of decimals of the smallest unit in rewards.
const rewardDigits = 18

func oneUnit() *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(rewardDigits), nil) }

// reward returns the amount of the native coin in a list, in fractions of its smallest unit.
func (p *Platform) reward(list []wire.Coin) (*big.Int, error) {
	for _, c := range list {
		if c.Denom == p.params.Native.Denom {
			return c.Units()
		}
	}
	return new(big.Int), nil
}

// pageOf converts a page for queries.
func pageOf(p coin.StakingPage) *wire.PageRequest {
	return &wire.PageRequest{Offset: p.Limit * (p.Number - 1), Limit: p.Limit}
}

// Validators implements coin.Staker.
func (p *Platform) Validators(ctx context.Context, state coin.ValidatorState, page coin.StakingPage) (list []coin.Validator, err error) {
	status := map[coin.ValidatorState]string{coin.ValidatorBonded: "BOND_STATUS_BONDED", coin.ValidatorUnbonded: "BOND_STATUS_UNBONDED"}[state]
	answer, err := node.Ask[wire.ValidatorsResponse](ctx, p.nodes.pool, wire.PathValidators, &wire.ValidatorsRequest{Status: status, Page: pageOf(page)})
	if err != nil {
		return nil, coin.Failed(err)
	}
	return validators(answer.Validators), nil
}

// validators converts the validators of an answer. A validator whose key cannot be decoded, for
// example because its type is unknown, has no Key.
func validators(answer []wire.Validator) (list []coin.Validator) {
	for _, v := range answer {
		var key wire.PubKey
		if wire.Decode(v.Key.Value, &key) != nil {
			key = wire.PubKey{}
		}
		list = append(list, coin.Validator{Address: v.Operator, KeyType: v.Key.TypeURL, Key: key.Key, Jailed: v.Jailed, State: coin.ValidatorState(v.Status),
			Tokens: v.Tokens, Shares: v.Shares, MinSelfDelegation: v.MinSelfDelegation,
			Moniker: v.Description.Moniker, Identity: v.Description.Identity, Website: v.Description.Website,
			SecurityContact: v.Description.SecurityContact, More: v.Description.Details,
			UnbondingHeight: v.UnbondingHeight, UnbondingTime: v.UnbondingTime.Time(), CommissionTime: v.Commission.Updated.Time(),
			Rate: v.Commission.Rates.Rate, MaxRate: v.Commission.Rates.Max, MaxRateChange: v.Commission.Rates.MaxChange})
	}
	return list
}

// Delegations implements coin.Staker.
func (p *Platform) Delegations(ctx context.Context, page coin.StakingPage) (list []coin.Delegation, err error) {
	answer, err := node.Ask[wire.DelegationsResponse](ctx, p.nodes.pool, wire.PathDelegations, &wire.DelegatorRequest{Delegator: p.delegator(), Page: pageOf(page)})
	if errors.Is(err, node.ErrNotFound) || err == nil && len(answer.Delegations) == 0 {
		return nil, nil
	}
	if err != nil {
		return nil, coin.Failed(err)
	}
	owed, err := node.Ask[wire.AllRewardsResponse](ctx, p.nodes.pool, wire.PathAllRewards, &wire.AllRewardsRequest{Delegator: p.delegator()})
	if err != nil {
		return nil, coin.Failed(err)
	}
	for _, d := range answer.Delegations {
		units, err := d.Balance.Units()
		entry := coin.Delegation{Validator: d.Delegation.Validator, Amount: number.Scaled(units, p.params.Native.Decimals), Reward: number.Int(0)}
		for _, r := range owed.Rewards {
			if err == nil && r.Validator == d.Delegation.Validator {
				var parts *big.Int
				parts, err = p.reward(r.Rewards)
				entry.Reward = number.Scaled(parts, p.params.Native.Decimals+rewardDigits)
			}
		}
		if err != nil {
			return nil, coin.Failed(err)
		}
		list = append(list, entry)
	}
	return list, nil
}

// Undelegations implements coin.Staker.
func (p *Platform) Undelegations(ctx context.Context, page coin.StakingPage) (list []coin.Undelegation, err error) {
	answer, err := node.Ask[wire.UndelegationsResponse](ctx, p.nodes.pool, wire.PathUndelegations, &wire.DelegatorRequest{Delegator: p.delegator(), Page: pageOf(page)})
	if err != nil && !errors.Is(err, node.ErrNotFound) {
		return nil, coin.Failed(err)
	}
	for _, u := range answer.Undelegations {
		entry := coin.Undelegation{Validator: u.Validator}
		for _, e := range u.Entries {
			units, err := wire.Coin{Amount: e.Balance}.Units()
			if err != nil {
				return nil, coin.Failed(err)
			}
			entry.Entries = append(entry.Entries, coin.UndelegationEntry{Height: e.Height, Done: e.Done.Time(), Amount: number.Scaled(units, p.params.Native.Decimals)})
		}
		list = append(list, entry)
	}
	return list, nil
}
