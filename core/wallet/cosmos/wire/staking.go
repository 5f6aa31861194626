package wire

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
