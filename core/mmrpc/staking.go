package mmrpc

import (
	"context"
	"errors"
	"time"

	"obverse/core/mmrpc/mmerr"
	"obverse/core/rpc"
	"obverse/core/wallet/coin"
)

const categoryStaking = "Staking"

// Staking is the area of the methods that stake coins with validators.
type Staking struct {
	Active *coin.Active
}

// Methods implements Area.
func (s Staking) Methods() []rpc.Method {
	const name = "experimental::staking::"
	acting := append(kinds(mmerr.CoinDoesntSupportDelegation, mmerr.StakingPayload), withdrawKinds()...)
	method := rpc.Doc{Category: categoryStaking}
	of := func(summary, detail string) rpc.Doc {
		method.Summary, method.Detail = summary, detail
		return method
	}
	const sent = "It is sent by send_raw_transaction with its tx_hex. "
	return append([]rpc.Method{
		rpc.Handle(name+"delegate", of("Make and sign a transaction that stakes coins with a validator", sent+"Rewards that the validator owes already are paid out with it."), s.delegate).
			Raises(acting...),
		rpc.Handle(name+"undelegate", of("Make and sign a transaction that takes staked coins back", sent+"The chain gives them back after its unbonding time."), s.undelegate).
			Raises(append(kinds(mmerr.CanNotUndelegate, mmerr.TooMuchToUndelegate), acting...)...),
		rpc.Handle(name+"claim_rewards", of("Make and sign a transaction that takes the rewards of a validator", sent+"A reward that is not above the fee is refused without force."), s.claim).
			Raises(append(kinds(mmerr.NothingToClaim, mmerr.UnprofitableReward), acting...)...),
	}, s.queries(name+"query::")...)
}

// stakingChain is the kind of chains that are staked here.
type stakingChain string

// Values implements rpc.Enum.
func (stakingChain) Values() []string { return []string{"Cosmos"} }

type delegateParams struct {
	Coin    string       `json:"coin" doc:"ticker of an active chain's own coin"`
	Details stakeDetails `json:"staking_details"`
}

type stakeDetails struct {
	Type      stakingChain `json:"type"`
	Validator string       `json:"validator_address"`
	Amount    coinAmount   `json:"amount" rpc:"optional" doc:"how much, in whole coins, a decimal number; with max it does not count"`
	Max       bool         `json:"max" default:"false" doc:"delegate: everything that the fee leaves; undelegate: everything that is staked with the validator"`
	Fee       feePolicy    `json:"fee" rpc:"optional" doc:"the fee; it is estimated when absent"`
	From      fromAddress  `json:"withdraw_from" rpc:"optional" doc:"delegate: an address of an HD wallet; the coin's own when absent"`
	Memo      string       `json:"memo" default:"" doc:"a text that everybody can read on the chain"`
}

func (d stakeDetails) request() (coin.WithdrawRequest, error) {
	if !d.Amount.given && !d.Max {
		return coin.WithdrawRequest{}, &rpc.ParamError{Path: "staking_details.amount", Want: wantAmount, Err: rpc.ErrMissing}
	}
	return coin.WithdrawRequest{To: d.Validator, Amount: d.Amount.Rational, Max: d.Max, Fee: d.Fee.policy, Memo: d.Memo, From: d.From.from}, nil
}

func (s Staking) delegate(ctx context.Context, p delegateParams) (transactionView, error) {
	return s.stake(ctx, p, coin.Staker.Delegate)
}

func (s Staking) undelegate(ctx context.Context, p delegateParams) (transactionView, error) {
	return s.stake(ctx, p, func(staker coin.Staker, ctx context.Context, r coin.WithdrawRequest) (coin.Transaction, error) {
		if r.From != nil {
			const reason = "withdraw_from is not possible when coins are taken back: it is the coin's own address"
			return coin.Transaction{}, mmerr.StakingPayload.New(mmerr.Reason{Reason: reason}, "Invalid payload: "+reason)
		}
		return staker.Undelegate(ctx, r)
	})
}

// stake makes a transaction that changes what is staked with a validator.
func (s Staking) stake(ctx context.Context, p delegateParams, act func(coin.Staker, context.Context, coin.WithdrawRequest) (coin.Transaction, error)) (transactionView, error) {
	staker, err := s.staker(p.Coin)
	if err != nil {
		return transactionView{}, err
	}
	request, err := p.Details.request()
	if err != nil {
		return transactionView{}, err
	}
	made, err := act(staker, ctx, request)
	return viewTransaction(made), stakingFailure(err, p.Coin, staker, request.To)
}

type claimParams struct {
	Coin    string       `json:"coin" doc:"ticker of an active chain's own coin"`
	Details claimDetails `json:"claiming_details"`
}

type claimDetails struct {
	Type      stakingChain `json:"type"`
	Validator string       `json:"validator_address"`
	Force     bool         `json:"force" default:"false" doc:"claim a reward that is not above the fee, too"`
	Fee       feePolicy    `json:"fee" rpc:"optional" doc:"the fee; it is estimated when absent"`
	Memo      string       `json:"memo" default:"" doc:"a text that everybody can read on the chain"`
}

func (s Staking) claim(ctx context.Context, p claimParams) (transactionView, error) {
	staker, err := s.staker(p.Coin)
	if err != nil {
		return transactionView{}, err
	}
	d := p.Details
	made, err := staker.ClaimRewards(ctx, coin.WithdrawRequest{To: d.Validator, Fee: d.Fee.policy, Memo: d.Memo}, d.Force)
	return viewTransaction(made), stakingFailure(err, p.Coin, staker, d.Validator)
}

// staker finds the coin.
func (s Staking) staker(ticker string) (coin.Staker, error) {
	active, err := s.Active.Get(ticker)
	if err != nil {
		return nil, noSuchCoin(err, ticker)
	}
	staker, can := active.(coin.Staker)
	if !can {
		return nil, mmerr.CoinDoesntSupportDelegation.New(mmerr.Coin{Coin: ticker}, clip(ticker)+" coin doesn't support delegation")
	}
	return staker, nil
}

// stakingFailure gives the errors of staking their kinds.
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
		return mmerr.NothingToClaim.From(err, mmerr.Coin{Coin: ticker}, "Nothing to claim for "+clip(ticker)+": "+err.Error())
	case errors.As(err, &much):
		return mmerr.TooMuchToUndelegate.From(err, mmerr.TooMuch{Available: much.Available.String(), Requested: much.Requested.String()}, much.Error())
	case errors.As(err, &little):
		return mmerr.UnprofitableReward.From(err, mmerr.Unprofitable{Reward: little.Reward.String(), Fee: little.Fee.String()}, little.Error())
	case errors.As(err, &invalid) && invalid.Field != coin.FieldFee && invalid.Field != coin.FieldMemo && invalid.Field != coin.FieldFrom:
		reason := wireText(invalid.Reason)
		return mmerr.StakingPayload.From(err, mmerr.Reason{Reason: reason}, "Invalid payload: "+reason)
	}
	return sendingFailure(err)
}

// rfc3339 writes a time of a chain.
func rfc3339(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }
