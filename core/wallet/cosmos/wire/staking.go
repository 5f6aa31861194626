package wire

import (
	"time"
)

// Stake is the form that delegating and taking back share.
type Stake struct {
	Delegator string `json:"delegator_address"`
	Validator string `json:"validator_address"`
	Amount    Coin   `json:"amount"`
}

// MsgDelegate stakes a coin with a validator.
type MsgDelegate struct{ Stake }

// TypeURL implements Named.
func (*MsgDelegate) TypeURL() string { return "/cosmos.staking.v1beta1.MsgDelegate" }

// MsgUndelegate takes a staked coin back.
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

// MsgWithdrawDelegatorReward takes the rewards that a validator owes a delegator.
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

// ValidatorsRequest asks for validators.
type ValidatorsRequest struct {
	Status string // BOND_STATUS_BONDED, …; "": any
	Page   *PageRequest
}

// ValidatorsResponse answers it.
type ValidatorsResponse struct {
	Validators []Validator
	Page       PageResponse
}

// Validator is one.
type Validator struct {
	Operator        string
	Key             Any
	Jailed          bool
	Status          int32
	Tokens, Shares  string // shares with 18 digits after the point
	Description     Description
	UnbondingHeight int64
	UnbondingTime   Timestamp
	Commission      Commission
	LeastSelf       string
}

// Description is what a validator says of itself.
type Description struct{ Moniker, Identity, Website, SecurityContact, Details string }

// Commission is what a validator keeps of rewards.
type Commission struct {
	Rates   CommissionRates
	Updated Timestamp
}

// CommissionRates are parts of one, with 18 digits after the point.
type CommissionRates struct{ Rate, Max, MaxChange string }

// Timestamp is a time in UTC.
type Timestamp struct {
	Seconds int64
	Nanos   int32
}

// Time is the time.
func (t Timestamp) Time() time.Time { return time.Unix(t.Seconds, int64(t.Nanos)).UTC() }

// DelegationRequest asks what an address has with a validator: PathDelegation, PathRewards.
type DelegationRequest struct{ Delegator, Validator string }

// DelegationResponse answers PathDelegation.
type DelegationResponse struct{ Delegation *Delegated }

// DelegatorRequest asks what an address has with all validators.
type DelegatorRequest struct {
	Delegator string
	Page      *PageRequest
}

// DelegationsResponse answers PathDelegations.
type DelegationsResponse struct {
	Delegations []Delegated
	Page        PageResponse
}

// Delegated is what is staked with a validator.
type Delegated struct {
	Of      DelegationRequest
	Balance Coin
}

// UndelegationsResponse answers PathUndelegations.
type UndelegationsResponse struct {
	Undelegations []Undelegated
	Page          PageResponse
}

// Undelegated is what a validator gives back.
type Undelegated struct {
	Delegator, Validator string
	Entries              []UndelegatedEntry
}

// UndelegatedEntry is one part of it.
type UndelegatedEntry struct {
	Height           int64
	Done             Timestamp
	Initial, Balance string
}

// RewardsResponse answers PathRewards: amounts have 18 digits after the point of the smallest unit.
type RewardsResponse struct{ Rewards []Coin }

// AllRewardsRequest asks for the rewards of an address.
type AllRewardsRequest struct{ Delegator string }

// AllRewardsResponse answers it, amounts as in RewardsResponse.
type AllRewardsResponse struct{ Rewards []ValidatorRewards }

// ValidatorRewards are those of one validator.
type ValidatorRewards struct {
	Validator string
	Rewards   []Coin
}
