package coin

import (
	"context"
	"errors"
	"fmt"
	"time"

	"obverse/core/number"
)

// Staker is a coin that can be staked with validators. Requests name the validator as To.
type Staker interface {
	// Delegate makes a transaction that stakes an amount.
	Delegate(ctx context.Context, r WithdrawRequest) (Transaction, error)
	// Undelegate makes a transaction that withdraws a staked amount. Additional errors are
	// ErrNoDelegation and *TooMuchError.
	Undelegate(ctx context.Context, r WithdrawRequest) (Transaction, error)
	// ClaimRewards makes a transaction that claims the rewards of a validator. Additional
	// errors are ErrNothingToClaim and, unless force is set, *UnprofitableError.
	ClaimRewards(ctx context.Context, r WithdrawRequest, force bool) (Transaction, error)

	// Validators returns validators in one of the states, or all of them.
	Validators(ctx context.Context, state ValidatorState, p StakingPage) ([]Validator, error)
	// Delegations returns the delegations of the coin's own address.
	Delegations(ctx context.Context, p StakingPage) ([]Delegation, error)
	// Undelegations returns the undelegations of the coin's own address that are not complete.
	Undelegations(ctx context.Context, p StakingPage) ([]Undelegation, error)
}

// StakingPage selects a page of a list.
type StakingPage struct{ Limit, Number uint64 } // Number is counted from 1

// ValidatorState selects validators by whether they make blocks.
type ValidatorState int

// States of validators, by their numbers on chains of the Cosmos SDK. An unbonding validator is
// neither bonded nor unbonded.
const (
	ValidatorAny      ValidatorState = 0
	ValidatorUnbonded ValidatorState = 1
	ValidatorBonded   ValidatorState = 3
)

// Validator is a validator as its chain reports it. Shares and rates are fixed-point numbers with
// 18 decimals, without the point.
type Validator struct {
	Address                                           string
	KeyType                                           string
	Key                                               []byte
	Jailed                                            bool
	State                                             ValidatorState
	Tokens, Shares, MinSelfDelegation                 string
	Moniker, Identity, Website, SecurityContact, More string
	UnbondingHeight                                   int64
	UnbondingTime, CommissionTime                     time.Time
	Rate, MaxRate, MaxRateChange                      string
}

// Delegation is a stake with a validator, and its unclaimed reward.
type Delegation struct {
	Validator      string
	Amount, Reward number.Rational
}

// Undelegation is a stake that is being returned.
type Undelegation struct {
	Validator string
	Entries   []UndelegationEntry
}

// UndelegationEntry is one part of an undelegation.
type UndelegationEntry struct {
	Height int64 // height of the block in which it began
	Done   time.Time
	Amount number.Rational
}

// Reasons why nothing is undelegated or claimed.
var (
	ErrNoDelegation   = errors.New("nothing is staked with the validator")
	ErrNothingToClaim = errors.New("the validator owes no reward")
)

// TooMuchError means that a request would undelegate more than is staked.
type TooMuchError struct{ Available, Requested number.Rational }

func (e *TooMuchError) Error() string {
	return fmt.Sprintf("%s is staked with the validator, want at least %s", e.Available, e.Requested)
}

// UnprofitableError means that a reward is less than the fee to claim it.
type UnprofitableError struct{ Reward, Fee number.Rational }

func (e *UnprofitableError) Error() string {
	return fmt.Sprintf("the reward %s is not above the fee %s: set force to claim it anyway", e.Reward, e.Fee)
}
