package mmrpc

import (
	"context"
	"encoding/base64"

	"obverse/core/mmrpc/mmerr"
	"obverse/core/rpc"
	"obverse/core/wallet/coin"
)

// queries are the methods that ask about staking.
func (s Staking) queries(name string) []rpc.Method {
	raised := kinds(mmerr.NoSuchCoin, mmerr.CoinDoesntSupportDelegation, mmerr.ActivationTransport)
	doc := func(summary string) rpc.Doc {
		return rpc.Doc{Summary: summary, Category: categoryStaking, Reads: true}
	}
	return []rpc.Method{
		rpc.Handle(name+"validators", doc("List the validators of a coin's chain"), s.validators).Raises(raised...),
		rpc.Handle(name+"delegations", doc("List what the coin's own address has staked, with the rewards"), s.delegations).Raises(raised...),
		rpc.Handle(name+"ongoing_undelegations", doc("List what the coin's own address has taken back and not got yet"), s.undelegations).Raises(raised...),
	}
}

// maxStaking bounds a page: of larger ones the answer has as many.
const maxStaking = 200

type stakingPage struct {
	Type  stakingChain `json:"type"`
	Limit uint64       `json:"limit" default:"10" doc:"entries of a page; more than 200 counts as 200"`
	Page  pageNumber   `json:"page_number" default:"1" doc:"from 1"`
}

func (p stakingPage) page() coin.StakingPage {
	const last = 1 << 32 // what is beyond holds nothing
	return coin.StakingPage{Limit: min(max(p.Limit, 1), maxStaking), Number: min(uint64(p.Page), last)}
}

type validatorsParams struct {
	Coin    string `json:"coin" doc:"ticker of an active chain's own coin"`
	Details struct {
		stakingPage
		Status validatorFilter `json:"filter_by_status" default:"Bonded" doc:"Bonded: those that make blocks"`
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
	Address         string               `json:"operator_address"`
	Key             *validatorKey        `json:"consensus_pubkey"`
	Jailed          bool                 `json:"jailed"`
	Status          int                  `json:"status" doc:"1 unbonded, 2 unbonding, 3 bonded"`
	Tokens          string               `json:"tokens" doc:"what is staked, in the smallest unit"`
	Shares          string               `json:"delegator_shares" doc:"with 18 digits after the point, which is left out"`
	Description     validatorDescription `json:"description"`
	UnbondingHeight int64                `json:"unbonding_height"`
	UnbondingTime   string               `json:"unbonding_time" doc:"RFC 3339"`
	Commission      validatorCommission  `json:"commission"`
	LeastSelf       string               `json:"min_self_delegation" doc:"in the smallest unit"`
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
		Rate   string `json:"rate" doc:"with 18 digits after the point, which is left out"`
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
		shown := validatorView{Address: v.Address, Key: &validatorKey{v.KeyType, base64.StdEncoding.EncodeToString(v.Key)}, Jailed: v.Jailed, Status: int(v.State),
			Tokens: v.Tokens, Shares: v.Shares, Description: validatorDescription{v.Moniker, v.Identity, v.Website, v.SecurityContact, v.More},
			UnbondingHeight: v.UnbondingHeight, UnbondingTime: rfc3339(v.UnbondingTime), LeastSelf: v.LeastSelf}
		shown.Commission.Rates.Rate, shown.Commission.Rates.Max, shown.Commission.Rates.Change = v.Rate, v.MaxRate, v.MaxRateChange
		shown.Commission.Updated = rfc3339(v.CommissionTime)
		list.Validators = append(list.Validators, shown)
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
	Reward    string `json:"reward_amount" doc:"in whole coins, with parts of the smallest unit, which stay with the chain"`
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
	Height int64  `json:"creation_height" doc:"of the block in which it began"`
	Done   string `json:"completion_datetime" doc:"when the coins come back, RFC 3339"`
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
		shown := undelegationView{Validator: u.Validator, Entries: []undelegationEntry{}}
		for _, e := range u.Entries {
			shown.Entries = append(shown.Entries, undelegationEntry{e.Height, rfc3339(e.Done), e.Amount.String()})
		}
		list.Undelegations = append(list.Undelegations, shown)
	}
	return list, stakingFailure(err, p.Coin, staker, "")
}
