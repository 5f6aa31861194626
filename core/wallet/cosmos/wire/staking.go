package wire

import (
	"time"
)

// Stake holds the common fields of MsgDelegate and MsgUndelegate.
type Stake struct {
	Delegator string `json:"delegator_address"`
	Validator string `json:"validator_address"`
	Amount    Coin   `json:"amount"`
}

// MsgDelegate stakes a coin with a validator.
type MsgDelegate struct{ Stake }

// TypeURL implements Named.
func (*MsgDelegate) TypeURL() string { return "/cosmos.staking.v1beta1.MsgDelegate" }

// MsgUndelegate unstakes a coin.
type MsgUndelegate struct{ Stake }

// TypeURL implements Named.
func (*MsgUndelegate) TypeURL() string { return "/cosmos.staking.v1beta1.MsgUndelegate" }

// MsgBeginRedelegate moves a staked coin from one validator to another.
type MsgBeginRedelegate struct {
	Delegator string `json:"delegator_address"`
	From      string `json:"validator_src_address"`
	To        string `json:"validator_dst_address"`
	Amount    Coin   `json:"amount"`
}

// TypeURL implements Named.
func (*MsgBeginRedelegate) TypeURL() string { return "/cosmos.staking.v1beta1.MsgBeginRedelegate" }

// MsgWithdrawDelegatorReward claims the rewards of a delegator from a validator.
type MsgWithdrawDelegatorReward struct {
	Delegator string `json:"delegator_address"`
	Validator string `json:"validator_address"`
}

// TypeURL implements Named.
func (*MsgWithdrawDelegatorReward) TypeURL() string {
	return "/cosmos.distribution.v1beta1.MsgWithdrawDelegatorReward"
}

// Paths of queries about staking.
const (
	PathValidators    = "/cosmos.staking.v1beta1.Query/Validators"
	PathDelegation    = "/cosmos.staking.v1beta1.Query/Delegation"
	PathDelegations   = "/cosmos.staking.v1beta1.Query/DelegatorDelegations"
	PathUndelegations = "/cosmos.staking.v1beta1.Query/DelegatorUnbondingDelegations"
	PathRewards       = "/cosmos.distribution.v1beta1.Query/DelegationRewards"
	PathAllRewards    = "/cosmos.distribution.v1beta1.Query/DelegationTotalRewards"
)

// ValidatorsRequest requests validators.
type ValidatorsRequest struct {
	Status string // BOND_STATUS_BONDED, …; "" means any
	Page   *PageRequest
}

// ValidatorsResponse is the response.
type ValidatorsResponse struct {
	Validators []Validator
	Page       PageResponse
}

// Validator is a validator.
type Validator struct {
	Operator          string
	Key               Any
	Jailed            bool
	Status            int32
	Tokens, Shares    string // shares with 18 decimals
	Description       Description
	UnbondingHeight   int64
	UnbondingTime     Timestamp
	Commission        Commission
	MinSelfDelegation string
}

// Description is a validator's description of itself.
type Description struct{ Moniker, Identity, Website, SecurityContact, Details string }

// Commission is the part of rewards that a validator keeps.
type Commission struct {
	Rates   CommissionRates
	Updated Timestamp
}

// CommissionRates are fractions of 1, with 18 decimals.
type CommissionRates struct{ Rate, Max, MaxChange string }

// Timestamp is a time in UTC.
type Timestamp struct {
	Seconds int64
	Nanos   int32
}

// Time returns the time.
func (t Timestamp) Time() time.Time { return time.Unix(t.Seconds, int64(t.Nanos)).UTC() }

// DelegationRequest requests the delegation or rewards of an address with a validator:
// PathDelegation, PathRewards.
type DelegationRequest struct{ Delegator, Validator string }

// DelegationResponse is the response of PathDelegation.
type DelegationResponse struct{ Delegation *Delegated }

// DelegatorRequest requests the delegations or undelegations of an address with all validators.
type DelegatorRequest struct {
	Delegator string
	Page      *PageRequest
}

// DelegationsResponse is the response of PathDelegations.
type DelegationsResponse struct {
	Delegations []Delegated
	Page        PageResponse
}

// Delegated is a stake with a validator.
type Delegated struct {
	Delegation DelegationRequest
	Balance    Coin
}

// UndelegationsResponse is the response of PathUndelegations.
type UndelegationsResponse struct {
	Undelegations []Undelegated
	Page          PageResponse
}

// Undelegated lists the undelegations from a validator.
type Undelegated struct {
	Delegator, Validator string
	Entries              []UndelegatedEntry
}

// UndelegatedEntry is one undelegation.
type UndelegatedEntry struct {
	Height           int64
	Done             Timestamp
	Initial, Balance string
}

// RewardsResponse is the response of PathRewards. Amounts are in the smallest unit, with 18
// decimals.
type RewardsResponse struct{ Rewards []Coin }

// AllRewardsRequest requests the rewards of an address.
type AllRewardsRequest struct{ Delegator string }

// AllRewardsResponse is the response, with amounts as in RewardsResponse.
type AllRewardsResponse struct{ Rewards []ValidatorRewards }

// ValidatorRewards are the rewards from one validator.
type ValidatorRewards struct {
	Validator string
	Rewards   []Coin
}
