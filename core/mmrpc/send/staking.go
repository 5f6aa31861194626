package send

import (
	"context"
	"encoding/base64"
	"errors"
	"time"

	"obverse/core/mmrpc/mmerr"
	"obverse/core/mmrpc/wire"
	"obverse/core/rpc"
	"obverse/core/wallet/coin"
)

const categoryStaking = "Staking"

// Staking is the area of the methods for staking coins with validators.
type Staking struct {
	Active *coin.Active
}

// Methods implements Area.
func (s Staking) Methods() []rpc.Method {
	const name = "experimental::staking::"
	acting := append(wire.Kinds(mmerr.CoinDoesntSupportDelegation, mmerr.StakingPayload), wire.WithdrawKinds()...)
	const sent = "Pass tx_hex to send_raw_transaction to send it. "
	raised := wire.Kinds(mmerr.NoSuchCoin, mmerr.CoinDoesntSupportDelegation, mmerr.ActivationTransport)
	return []rpc.Method{
		rpc.Handle(name+"delegate", rpc.Doc{Summary: "Create and sign a transaction that stakes coins with a validator", Detail: sent + "The transaction also pays out pending rewards of the validator.", Category: categoryStaking}, s.delegate).
			Raises(acting...),
		rpc.Handle(name+"undelegate", rpc.Doc{Summary: "Create and sign a transaction that unstakes coins", Detail: sent + "The chain returns the coins after its unbonding time.", Category: categoryStaking}, s.undelegate).
			Raises(append(wire.Kinds(mmerr.CanNotUndelegate, mmerr.TooMuchToUndelegate), acting...)...),
		rpc.Handle(name+"claim_rewards", rpc.Doc{Summary: "Create and sign a transaction that claims the rewards of a validator", Detail: sent + "Without force, a reward that does not exceed the fee is rejected.", Category: categoryStaking}, s.claim).
			Raises(append(wire.Kinds(mmerr.NothingToClaim, mmerr.UnprofitableReward), acting...)...),
		rpc.Handle(name+"query::validators", rpc.Doc{Summary: "List the validators of a coin's chain", Category: categoryStaking, Reads: true}, s.validators).Raises(raised...),
		rpc.Handle(name+"query::delegations", rpc.Doc{Summary: "List the delegations of the coin's own address, with their rewards", Category: categoryStaking, Reads: true}, s.delegations).Raises(raised...),
		rpc.Handle(name+"query::ongoing_undelegations", rpc.Doc{Summary: "List the ongoing undelegations of the coin's own address", Category: categoryStaking, Reads: true}, s.undelegations).Raises(raised...),
	}
}

// stakingChain is the kind of chains that support staking.
type stakingChain string

// Values implements rpc.Enum.
func (stakingChain) Values() []string { return []string{"Cosmos"} }

type delegateParams struct {
	Coin    string       `json:"coin" doc:"ticker of an active chain's own coin"`
	Details stakeDetails `json:"staking_details"`
}

type stakeDetails struct {
	Type      stakingChain     `json:"type"`
	Validator string           `json:"validator_address"`
	Amount    coinAmount       `json:"amount" rpc:"optional" doc:"amount in whole coins, a decimal number; ignored with max"`
	Max       bool             `json:"max" default:"false" doc:"delegate: the whole balance minus the fee; undelegate: everything that is staked with the validator"`
	Fee       feePolicy        `json:"fee" rpc:"optional" doc:"fee; by default estimated"`
	From      wire.FromAddress `json:"withdraw_from" rpc:"optional" doc:"delegate: address of an HD wallet; by default the coin's own"`
	Memo      string           `json:"memo" default:"" doc:"text that is public on the chain"`
}

func (d stakeDetails) request() (coin.WithdrawRequest, error) {
	if !d.Amount.given && !d.Max {
		return coin.WithdrawRequest{}, &rpc.ParamError{Path: "staking_details.amount", Want: wantAmount, Err: rpc.ErrMissing}
	}
	return coin.WithdrawRequest{To: d.Validator, Amount: d.Amount.Rational, Max: d.Max, Fee: d.Fee.policy, Memo: d.Memo, From: d.From.From}, nil
}

func (s Staking) delegate(ctx context.Context, p delegateParams) (wire.TransactionView, error) {
	return s.stake(ctx, p, coin.Staker.Delegate)
}

func (s Staking) undelegate(ctx context.Context, p delegateParams) (wire.TransactionView, error) {
	return s.stake(ctx, p, func(staker coin.Staker, ctx context.Context, r coin.WithdrawRequest) (coin.Transaction, error) {
		if r.From != nil {
			const reason = "withdraw_from is not possible when coins are taken back: it is the coin's own address"
			return coin.Transaction{}, mmerr.StakingPayload.New(mmerr.Reason{Reason: reason}, "Invalid payload: "+reason)
		}
		return staker.Undelegate(ctx, r)
	})
}

// stake builds a transaction that changes the stake with a validator.
func (s Staking) stake(ctx context.Context, p delegateParams, act func(coin.Staker, context.Context, coin.WithdrawRequest) (coin.Transaction, error)) (wire.TransactionView, error) {
	staker, err := s.staker(p.Coin)
	if err != nil {
		return wire.TransactionView{}, err
	}
	request, err := p.Details.request()
	if err != nil {
		return wire.TransactionView{}, err
	}
	made, err := act(staker, ctx, request)
	return wire.ViewTransaction(made), stakingFailure(err, p.Coin, staker, request.To)
}

type claimParams struct {
	Coin    string       `json:"coin" doc:"ticker of an active chain's own coin"`
	Details claimDetails `json:"claiming_details"`
}

type claimDetails struct {
	Type      stakingChain `json:"type"`
	Validator string       `json:"validator_address"`
	Force     bool         `json:"force" default:"false" doc:"also claim a reward that does not exceed the fee"`
	Fee       feePolicy    `json:"fee" rpc:"optional" doc:"fee; by default estimated"`
	Memo      string       `json:"memo" default:"" doc:"text that is public on the chain"`
}

func (s Staking) claim(ctx context.Context, p claimParams) (wire.TransactionView, error) {
	staker, err := s.staker(p.Coin)
	if err != nil {
		return wire.TransactionView{}, err
	}
	d := p.Details
	made, err := staker.ClaimRewards(ctx, coin.WithdrawRequest{To: d.Validator, Fee: d.Fee.policy, Memo: d.Memo}, d.Force)
	return wire.ViewTransaction(made), stakingFailure(err, p.Coin, staker, d.Validator)
}

// staker returns the active coin.
func (s Staking) staker(ticker string) (coin.Staker, error) {
	active, err := s.Active.Get(ticker)
	if err != nil {
		return nil, wire.NoSuchCoin(err, ticker)
	}
	staker, can := active.(coin.Staker)
	if !can {
		return nil, mmerr.CoinDoesntSupportDelegation.New(mmerr.Coin{Coin: ticker}, wire.Clip(ticker)+" coin doesn't support delegation")
	}
	return staker, nil
}

// stakingFailure returns an error of staking with a kind.
func stakingFailure(err error, ticker string, staker coin.Staker, validator string) error {
	if err == nil {
		return nil
	}
	var much *coin.TooMuchError
	var little *coin.UnprofitableError
	var invalid *coin.InvalidError
	switch {
	case errors.Is(err, coin.ErrNoDelegation):
		data := mmerr.Stake{Validator: validator}
		if addresser, has := staker.(coin.Addresser); has {
			data.Delegator = addresser.Address()
		}
		return mmerr.CanNotUndelegate.From(err, data, "Can not undelegate: "+err.Error())
	case errors.Is(err, coin.ErrNothingToClaim):
		return mmerr.NothingToClaim.From(err, mmerr.Coin{Coin: ticker}, "Nothing to claim for "+wire.Clip(ticker)+": "+err.Error())
	case errors.As(err, &much):
		return mmerr.TooMuchToUndelegate.From(err, mmerr.TooMuch{Available: much.Available.String(), Requested: much.Requested.String()}, much.Error())
	case errors.As(err, &little):
		return mmerr.UnprofitableReward.From(err, mmerr.Unprofitable{Reward: little.Reward.String(), Fee: little.Fee.String()}, little.Error())
	case errors.As(err, &invalid) && invalid.Field != coin.FieldFee && invalid.Field != coin.FieldMemo && invalid.Field != coin.FieldFrom:
		reason := wire.Text(invalid.Reason)
		return mmerr.StakingPayload.From(err, mmerr.Reason{Reason: reason}, "Invalid payload: "+reason)
	}
	return wire.SendingFailure(err)
}

// rfc3339 formats a time of a chain.
func rfc3339(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// maxStaking limits the size of a page. Larger pages are truncated.
const maxStaking = 200

type stakingPage struct {
	Type  stakingChain    `json:"type"`
	Limit uint64          `json:"limit" default:"10" doc:"number of entries per page; at most 200, larger values are reduced"`
	Page  wire.PageNumber `json:"page_number" default:"1" doc:"from 1"`
}

func (p stakingPage) page() coin.StakingPage {
	const last = 1 << 32 // later pages are empty
	return coin.StakingPage{Limit: min(max(p.Limit, 1), maxStaking), Number: min(uint64(p.Page), last)}
}

type validatorsParams struct {
	Coin    string `json:"coin" doc:"ticker of an active chain's own coin"`
	Details struct {
		stakingPage
		Status validatorFilter `json:"filter_by_status" default:"Bonded" doc:"Bonded: validators that produce blocks"`
	} `json:"info_details"`
}

// validatorFilter selects validators.
type validatorFilter string

// Values implements rpc.Enum.
func (validatorFilter) Values() []string { return []string{"All", "Bonded", "Unbonded"} }

type validatorList struct {
	Validators []validatorView `json:"validators"`
}

type validatorView struct {
	Address           string               `json:"operator_address"`
	Key               *validatorKey        `json:"consensus_pubkey" doc:"null if it cannot be decoded"`
	Jailed            bool                 `json:"jailed"`
	Status            int                  `json:"status" doc:"1 unbonded, 2 unbonding, 3 bonded"`
	Tokens            string               `json:"tokens" doc:"amount staked, in the smallest unit"`
	Shares            string               `json:"delegator_shares" doc:"with 18 decimal digits and without the decimal point"`
	Description       validatorDescription `json:"description"`
	UnbondingHeight   int64                `json:"unbonding_height"`
	UnbondingTime     string               `json:"unbonding_time" doc:"RFC 3339"`
	Commission        validatorCommission  `json:"commission"`
	MinSelfDelegation string               `json:"min_self_delegation" doc:"in the smallest unit"`
}

type validatorKey struct {
	Type string `json:"@type"`
	Key  string `json:"key" doc:"base64"`
}

type validatorDescription struct {
	Moniker  string `json:"moniker"`
	Identity string `json:"identity"`
	Website  string `json:"website"`
	Contact  string `json:"security_contact"`
	Details  string `json:"details"`
}

type validatorCommission struct {
	Rates struct {
		Rate   string `json:"rate" doc:"with 18 decimal digits and without the decimal point"`
		Max    string `json:"max_rate"`
		Change string `json:"max_change_rate"`
	} `json:"commission_rates"`
	Updated string `json:"update_time" doc:"RFC 3339"`
}

func (s Staking) validators(ctx context.Context, p validatorsParams) (validatorList, error) {
	staker, err := s.staker(p.Coin)
	if err != nil {
		return validatorList{}, err
	}
	state := map[validatorFilter]coin.ValidatorState{"All": coin.ValidatorAny, "Bonded": coin.ValidatorBonded, "Unbonded": coin.ValidatorUnbonded}[p.Details.Status]
	found, err := staker.Validators(ctx, state, p.Details.page())
	list := validatorList{[]validatorView{}}
	for _, v := range found {
		view := validatorView{Address: v.Address, Jailed: v.Jailed, Status: int(v.State),
			Tokens: v.Tokens, Shares: v.Shares, Description: validatorDescription{v.Moniker, v.Identity, v.Website, v.SecurityContact, v.More},
			UnbondingHeight: v.UnbondingHeight, UnbondingTime: rfc3339(v.UnbondingTime), MinSelfDelegation: v.MinSelfDelegation}
		if len(v.Key) > 0 {
			view.Key = &validatorKey{v.KeyType, base64.StdEncoding.EncodeToString(v.Key)}
		}
		view.Commission.Rates.Rate, view.Commission.Rates.Max, view.Commission.Rates.Change = v.Rate, v.MaxRate, v.MaxRateChange
		view.Commission.Updated = rfc3339(v.CommissionTime)
		list.Validators = append(list.Validators, view)
	}
	return list, stakingFailure(err, p.Coin, staker, "")
}

type delegationsParams struct {
	Coin    string      `json:"coin" doc:"ticker of an active chain's own coin"`
	Details stakingPage `json:"info_details"`
}

type delegationList struct {
	Delegations []delegationView `json:"delegations"`
}

type delegationView struct {
	Validator string `json:"validator_address"`
	Amount    string `json:"delegated_amount" doc:"in whole coins"`
	Reward    string `json:"reward_amount" doc:"in whole coins, including fractions of the smallest unit, which remain with the chain"`
}

func (s Staking) delegations(ctx context.Context, p delegationsParams) (delegationList, error) {
	staker, err := s.staker(p.Coin)
	if err != nil {
		return delegationList{}, err
	}
	found, err := staker.Delegations(ctx, p.Details.page())
	list := delegationList{[]delegationView{}}
	for _, d := range found {
		list.Delegations = append(list.Delegations, delegationView{d.Validator, d.Amount.String(), d.Reward.String()})
	}
	return list, stakingFailure(err, p.Coin, staker, "")
}

type undelegationList struct {
	Undelegations []undelegationView `json:"ongoing_undelegations"`
}

type undelegationView struct {
	Validator string              `json:"validator_address"`
	Entries   []undelegationEntry `json:"entries"`
}

type undelegationEntry struct {
	Height int64  `json:"creation_height" doc:"height of the block in which it began"`
	Done   string `json:"completion_datetime" doc:"time at which the coins are returned, in RFC 3339"`
	Amount string `json:"balance" doc:"in whole coins"`
}

func (s Staking) undelegations(ctx context.Context, p delegationsParams) (undelegationList, error) {
	staker, err := s.staker(p.Coin)
	if err != nil {
		return undelegationList{}, err
	}
	found, err := staker.Undelegations(ctx, p.Details.page())
	list := undelegationList{[]undelegationView{}}
	for _, u := range found {
		view := undelegationView{Validator: u.Validator, Entries: []undelegationEntry{}}
		for _, e := range u.Entries {
			view.Entries = append(view.Entries, undelegationEntry{e.Height, rfc3339(e.Done), e.Amount.String()})
		}
		list.Undelegations = append(list.Undelegations, view)
	}
	return list, stakingFailure(err, p.Coin, staker, "")
}
