package coin

import (
	"context"
	"errors"
	"fmt"
	"time"

	"obverse/core/number"
)

// Staker is a coin that its holders stake with validators. Requests name the validator as To.
type Staker interface {
	// Delegate makes a transaction that stakes an amount.
	Delegate(ctx context.Context, r WithdrawRequest) (Transaction, error)
	// Undelegate makes one that takes an amount back. Errors are also ErrNoDelegation and
	// *TooMuchError.
	Undelegate(ctx context.Context, r WithdrawRequest) (Transaction, error)
	// ClaimRewards makes one that takes the rewards of a validator. Errors are also
	// ErrNothingToClaim and, unless force is set, *UnprofitableError.
	ClaimRewards(ctx context.Context, r WithdrawRequest, force bool) (Transaction, error)

	// Validators lists validators in one of the states, or all of them.
	Validators(ctx context.Context, state ValidatorState, p StakingPage) ([]Validator, error)
	// Delegations lists what the coin's own address has staked.
	Delegations(ctx context.Context, p StakingPage) ([]Delegation, error)
	// Undelegations lists what it has taken back and not got yet.
	Undelegations(ctx context.Context, p StakingPage) ([]Undelegation, error)
}

// StakingPage is a part of a list.
type StakingPage struct{ Limit, Number uint64 } // from 1

// ValidatorState is whether a validator makes blocks.
type ValidatorState int

// States of validators, by their numbers on chains of the Cosmos SDK. An unbonding one is neither.
const (
	ValidatorAny      ValidatorState = 0
	ValidatorUnbonded ValidatorState = 1
	ValidatorBonded   ValidatorState = 3
)

// Validator is one, as its chain has it. Shares and rates are whole numbers of 18 digits
// after the point.
type Validator struct {
	Address                                           string
	KeyType                                           string
	Key                                               []byte
	Jailed                                            bool
	State                                             ValidatorState
	Tokens, Shares, LeastSelf                         string
	Moniker, Identity, Website, SecurityContact, More string
	UnbondingHeight                                   int64
	UnbondingTime, CommissionTime                     time.Time
	Rate, MaxRate, MaxRateChange                      string
}

// Delegation is what is staked with a validator, and what it owes.
type Delegation struct {
	Validator      string
	Amount, Reward number.Rational
}

// Undelegation is what a validator gives back.
type Undelegation struct {
	Validator string
	Entries   []UndelegationEntry
}

// UndelegationEntry is one part of it.
type UndelegationEntry struct {
	Height int64 // of the block in which it began
	Done   time.Time
	Amount number.Rational
}

// Reasons for which nothing is undelegated or claimed.
var (
	ErrNoDelegation   = errors.New("nothing is staked with the validator")
	ErrNothingToClaim = errors.New("the validator owes no reward")
)

// TooMuchError says that less is staked than is asked back.
type TooMuchError struct{ Available, Requested number.Rational }

func (e *TooMuchError) Error() string {
	return fmt.Sprintf("%s is staked with the validator, want at least %s", e.Available, e.Requested)
}

// UnprofitableError says that a reward is not worth its fee.
type UnprofitableError struct{ Reward, Fee number.Rational }

func (e *UnprofitableError) Error() string {
	return fmt.Sprintf("the reward %s is not above the fee %s: set force to claim it anyway", e.Reward, e.Fee)
}
